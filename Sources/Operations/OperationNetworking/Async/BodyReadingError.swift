import Foundation
public import HTTPSemantics

/// Why a body cannot be read while it is received.
///
/// The numbers of the cases never change.
public enum BodyReadingError: NumberedError, Hashable, Sendable {
    /// 1: the operation was started before, or writes its body to a stream.
    case bodyGoesElsewhere
    /// 2: the body has, or had, another reader.
    case readTwice
    /// 3: a line or an event is longer than the limit in bytes.
    case tooLong(limit: Int)
    /// 4: the response is no event stream: its status is not 200, or its type is another one.
    case notAnEventStream(status: Int, type: String?)
    /// 5: the request was tried again after bytes of its first response had been read.
    case triedAgain
    /// 6: no longer thrown: a transport of an earlier version could not wait for the reader.
    case transportCannotWait

    /// `OperationNetworking.BodyReadingError`.
    public static var errorDomain: String { "OperationNetworking.BodyReadingError" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .bodyGoesElsewhere:
            (
                1,
                "The body is stored or written elsewhere. Ask for the bytes before the request is "
                    + "started, and set neither an output stream nor a closure that takes them."
            )
        case .readTwice:
            (2, "The body can be read once, and has a reader already.")
        case .tooLong(let limit):
            (
                3,
                "The server sent more than \(limit) bytes without an end of the line or event. Set a "
                    + "higher limit if that is expected."
            )
        case .notAnEventStream(let status, let type):
            (
                4,
                "The response is no event stream: its status is \(status) and its type "
                    + "\(type?.printable ?? "missing"). Its bytes may say why."
            )
        case .triedAgain: (5, "The request was tried again after a part of the body had been read.")
        case .transportCannotWait:
            (6, "The transport cannot be suspended for a reader.")
        }
    }
}
