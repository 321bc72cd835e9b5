import Foundation
import ParitySupport

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
