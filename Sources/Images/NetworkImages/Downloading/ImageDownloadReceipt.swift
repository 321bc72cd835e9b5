public import Foundation
public import OperationNetworking

/// One caller's part in a download.
///
/// Callers whose requests were merged share the task; each has a receipt of its own, by whose id its
/// part is found, by value.
public struct ImageDownloadReceipt: Sendable {
    /// Names the caller's part.
    public let receiptID: UUID
    /// The transfer.
    public let task: any TransferHandle

    /// A receipt of a part that is known.
    public init(receiptID: UUID, task: any TransferHandle) {
        self.receiptID = receiptID
        self.task = task
    }
}
