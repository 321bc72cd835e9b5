import ParitySupport
import TestSupport

/// An error in the form of the recordings, without what is Foundation's.
///
/// The original makes three kinds itself: its cancellation, and its serializers' two. Those are
/// compared whole. Of what it passes on, the texts and the errors beneath are Foundation's.
enum ErrorRecord {
    /// A recorded error, in the form that is compared.
    static func expected(_ recorded: JSONValue) -> JSONValue {
        compared(recorded)
    }

    /// An error that was seen, in the form that is compared.
    ///
    /// - Parameter server: the server's address, which the recordings call `http://127.0.0.1:PORT`.
    static func observed(_ error: (any Error)?, server: String) -> JSONValue {
        guard let error = error as NSError? else { return .null }
        return compared(record(error, server))
    }

    /// An error as `domain/code`.
    static func text(of error: (any Error)?) -> String? {
        (error as NSError?).map { "\($0.domain)/\($0.code)" }
    }

    /// The error beneath as `domain/code`.
    static func textBeneath(_ error: any Error) -> String? {
        text(of: (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error)
    }

    private static func compared(_ record: JSONValue) -> JSONValue {
        let members = record.members
        guard let domain = members["domain"]?.string, let code = members["code"] else {
            return .null
        }
        var info = (members["userInfo"] ?? [:]).members
        if domain == NSURLErrorDomain, code != .int(-999) {
            info = info.filter { failingURLKeys.contains($0.key) }
        } else if domain == NSCocoaErrorDomain {
            info = info.filter { $0.key == NSUnderlyingErrorKey }
        }
        if let beneath = info[NSUnderlyingErrorKey] {
            info[NSUnderlyingErrorKey] = compared(beneath)
        }
        return ["domain": .string(domain), "code": code, "userInfo": .object(info)]
    }

    private static let failingURLKeys: Set = [
        NSURLErrorFailingURLErrorKey, "NSErrorFailingURLStringKey",
    ]

    private static func record(_ error: NSError, _ server: String) -> JSONValue {
        [
            "domain": .string(error.domain), "code": .int(error.code),
            "userInfo": .object(error.userInfo.mapValues { value(of: $0, server) }),
        ]
    }

    private static func value(of object: Any, _ server: String) -> JSONValue {
        func inRecording(_ text: String) -> JSONValue {
            .string(text.replacing(server, with: "http://127.0.0.1:PORT"))
        }
        return switch object {
        case let text as String: inRecording(text)
        case let url as URL: ["$url": inRecording(url.absoluteString)]
        case let data as Data: ["$data": .string(data.base64EncodedString())]
        case let response as HTTPURLResponse:
            ["$response": ["statusCode": .int(response.statusCode)]]
        case let error as any Error: record(error as NSError, server)
        default: .string("\(type(of: object))")
        }
    }
}
