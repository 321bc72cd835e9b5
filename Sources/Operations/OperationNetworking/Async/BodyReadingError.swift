import Foundation
public import HTTPSemantics

/// Why a body cannot be read as it comes.
///
/// The numbers of the cases never change.
public enum BodyReadingError: NumberedError, Hashable, Sendable {
    /// 1: the operation was started, or writes to a stream: the body is on its way elsewhere.
    case bodyGoesElsewhere
    /// 2: the body is read already, or was; it comes once.
    case readTwice
    /// 3: a line, or the text of an event, is longer than was allowed; the limit in bytes.
    case tooLong(limit: Int)
    /// 4: the response is no event stream: its status is not 200, or its type is another one.
    case notAnEventStream(status: Int, type: String?)
    /// 5: the request was tried again after bytes of the attempt before had been read.
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
                "The body goes elsewhere already. Ask for the bytes before the request is started, and "
                    + "set neither a stream nor a closure that takes them."
            )
        case .readTwice:
            (2, "The body comes once, and has a reader already. Keep what is needed twice.")
        case .tooLong(let limit):
            (
                3,
                "The server sent more than \(limit) bytes without an end of the line or event. Allow "
                    + "more if that is right."
            )
        case .notAnEventStream(let status, let type):
            (
                4,
                "The response is no event stream: its status is \(status) and its type "
                    + "\(type?.printable ?? "not named"). Read its bytes to see what the server says."
            )
        case .triedAgain: (5, "The request was tried again after a part of the body had been read.")
        case .transportCannotWait:
            (6, "The transport cannot wait for a reader.")
        }
    }
}
