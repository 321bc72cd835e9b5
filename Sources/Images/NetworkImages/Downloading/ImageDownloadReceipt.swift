public import Foundation
public import OperationNetworking

/// Identifies one caller's part in a download.
///
/// Callers whose requests were merged share the task; each has its own receipt.
public struct ImageDownloadReceipt: Sendable {
    /// Identifies the caller's part.
    public let receiptID: UUID
    /// The transfer.
    public let task: any TransferHandle

    /// A receipt with known members.
    public init(receiptID: UUID, task: any TransferHandle) {
        self.receiptID = receiptID
        self.task = task
    }
}
