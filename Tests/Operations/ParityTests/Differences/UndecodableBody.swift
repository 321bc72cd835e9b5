import Foundation

@testable import OperationNetworking
import ParitySupport

/// A body of JSON that is no text in the charset that it should have. The original gave nothing
/// for it, and no error.
struct UndecodableBody {
    /// The error that says so; nil where the bytes show another encoding.
    let refusal: GoldenValue?
    /// What they hold in the encoding that they show.
    let object: GoldenValue?

    /// Nil for any other body, such as an empty one.
    init?(_ recorded: RecordedCase) {
        guard recorded.input["serializer"] == "json", recorded.output["error"] == .null,
            recorded.output["object"]?.isNil == true, recorded.input["nullErrorPtr"] != true,
            let bytes = recorded.input["data"]?.data, !bytes.isEmpty,
            Self.text(recorded) == nil
        else { return nil }
        let encoding = Self.encoding(recorded)
        // RFC 4627, section 3: a text of JSON shows in which Unicode it is.
        if encoding == .utf8, let text = Self.marked(bytes) {
            object = ResponseRules.success(recorded, parsed: Data(text.utf8))
            refusal = nil
        } else {
            let error = GoldenValue.responseError(
                -1016, "Request failed: the body could not be decoded as text", recorded.input,
                more: ["NSLocalizedFailureReason": .string("The body is not text in \(encoding).")])
            refusal = recorded.changed(["error": error])
            object = nil
        }
    }

    /// The body as UTF-8; nil where it is no text in its charset.
    static func text(_ recorded: RecordedCase) -> Data? {
        recorded.input["data"]?.data.flatMap { String(data: $0, encoding: encoding(recorded)) }
            .map { Data($0.utf8) }
    }

    /// That of the response, else that of the serializer.
    private static func encoding(_ recorded: RecordedCase) -> String.Encoding {
        let named = recorded.input["charset"]?.string.flatMap(TextEncoding.encoding(named:))
        let set = recorded.input["stringEncoding"]?.int.map { String.Encoding(rawValue: UInt($0)) }
        return named ?? set ?? .utf8
    }

    private static func marked(_ bytes: Data) -> String? {
        switch [UInt8](bytes.prefix(2)) {
        case [0xFF, 0xFE], [0xFE, 0xFF]:
            String(data: bytes, encoding: .utf16).flatMap { $0.isEmpty ? nil : $0 }
        default: nil
        }
    }
}

/// A body that is no image. The original gave an image without pixels for it, and no error.
enum UndecodableImage {
    /// Nil for any other case.
    static func outcome(_ recorded: RecordedCase) -> GoldenValue? {
        guard recorded.input["serializer"] == "image",
            recorded.output["object"] == ["$image": ["h": 0, "reps": 0, "w": 0]]
        else { return nil }
        var members = recorded.output.members
        members["object"] = .absent
        members["objectClass"] = .null
        // Beside the error of a status nothing more is said.
        if members["error"] == .null { members["error"] = error(recorded.input) }
        return .object(members)
    }

    private static func error(_ input: GoldenValue) -> GoldenValue {
        let cause: GoldenValue = .string(
            "The body is no image: its first bytes are those of no known format.")
        return .responseError(
            -1016, "Request failed: the body could not be decoded as an image", input,
            more: [
                "NSLocalizedFailureReason": cause,
                "NSUnderlyingError": [
                    "domain": "NetworkImages.decoding", "code": 1,
                    "userInfo": ["NSLocalizedDescription": cause],
                    "userInfoKeys": ["NSLocalizedDescription"],
                ],
            ])
    }
}
