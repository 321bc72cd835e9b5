public import Foundation
public import FoundationNetworking
public import HTTPSemantics

/// Which requests share a transfer.
public enum TransferJoining: Hashable, Sendable {
    /// Those that are equal, as `SharedTransfers` says.
    case equalRequests
    /// All of one URL, even with another method, header field or credential, as AFNetworking's image
    /// downloader shares them.
    case equalURLs
}

/// Which of the waiting transfers is started first.
public enum TransferOrder: Hashable, Sendable {
    /// The one that has waited longest.
    case fifo
    /// The latest.
    case lifo
}

/// One caller's part in a transfer.
public struct TransferReceipt: Sendable {
    /// Identifies the part.
    public let id: UUID
    /// The transfer; receipts of the callers that share it have the same.
    public let transfer: any TransferHandle

    /// A receipt, by which a part can be found again: its id is compared by value.
    public init(id: UUID, transfer: any TransferHandle) {
        self.id = id
        self.transfer = transfer
    }
}

/// The result of a caller's part.
public struct SharedResult<Value: Sendable>: Sendable {
    /// The caller's own request.
    public let request: URLRequest
    /// The response, the same one for all callers that share the transfer.
    public let response: URLResponse?
    /// The value or the transfer's error; `URLError.cancelled` for a part that was cancelled.
    public let result: Result<Value, any Error>
}

/// An invalid setting of `SharedTransfers`.
///
/// As an `NSError` it has the domain `OperationNetworking.sharing`; later versions keep its codes.
public enum SharedTransferError: NumberedError, Hashable, Sendable {
    /// 1: a limit of active transfers below 1, with which no transfer would ever start.
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
