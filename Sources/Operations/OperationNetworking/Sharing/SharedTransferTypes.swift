public import Foundation
public import FoundationNetworking
public import HTTPSemantics

/// Which requests share a transfer.
public enum TransferJoining: Hashable, Sendable {
    /// Those that are equal, as `SharedTransfers` says.
    case equalRequests
    /// All of one URL, as the original's image downloader had it: also with another method, field or
    /// credential (IM-03).
    case equalURLs
}

/// Which of the transfers that wait is started first.
public enum TransferOrder: Hashable, Sendable {
    /// The one that has waited longest.
    case fifo
    /// The latest.
    case lifo
}

/// One caller's part in a transfer.
public struct TransferReceipt: Sendable {
    /// Names the part.
    public let id: UUID
    /// The transfer; receipts of callers who share it have the same.
    public let transfer: any TransferHandle

    /// A receipt of a part that is known; the id counts by its value, not by its identity (IM-15).
    public init(id: UUID, transfer: any TransferHandle) {
        self.id = id
        self.transfer = transfer
    }
}

/// The result of a caller's part.
public struct SharedResult<Value: Sendable>: Sendable {
    /// The caller's own request.
    public let request: URLRequest
    /// The response, which those who share the transfer have in common.
    public let response: URLResponse?
    /// The object, or the error: the transfer's, or `URLError.cancelled` for a part that was
    /// cancelled.
    public let result: Result<Value, any Error>
}

/// A setting of `SharedTransfers` that makes no sense.
///
/// As an NSError it has the domain `OperationNetworking.sharing`; the numbers never change.
public enum SharedTransferError: NumberedError, Hashable, Sendable {
    /// 1: a limit of active transfers below 1, with which nothing ever starts.
    case noActiveTransfers(Int)

    /// `OperationNetworking.sharing`.
    public static var errorDomain: String { "OperationNetworking.sharing" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .noActiveTransfers(let limit):
            (
                1,
                "With at most \(limit) active transfers none ever starts; set a limit of at least 1."
            )
        }
    }
}
