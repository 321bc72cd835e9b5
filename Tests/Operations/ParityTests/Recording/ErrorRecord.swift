import ParitySupport
import TestSupport

/// An error in the form of the recordings, without what is Foundation's.
///
/// The original makes three kinds itself: its cancellation, and its serializers' two. Those are
/// compared whole. Of what it passes on, the texts and the errors beneath are Foundation's.
enum ErrorRecord {
    /// A recorded error, in the form that is compared.
    static func expected(_ recorded: GoldenValue) -> GoldenValue {
        compared(recorded)
    }

    /// An error that was seen, in the form that is compared.
    ///
    /// - Parameter server: the server's address, which the recordings call `http://127.0.0.1:PORT`.
    static func observed(_ error: (any Error)?, server: String) -> GoldenValue {
        compared(Seen.error(error).replacing(server, with: "http://127.0.0.1:PORT"))
    }

    /// An error as `domain/code`.
    static func text(of error: (any Error)?) -> String? {
        (error as NSError?).map { "\($0.domain)/\($0.code)" }
    }

    /// The error beneath as `domain/code`.
    static func textBeneath(_ error: any Error) -> String? {
        text(of: (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error)
    }

    private static func compared(_ record: GoldenValue) -> GoldenValue {
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
}
