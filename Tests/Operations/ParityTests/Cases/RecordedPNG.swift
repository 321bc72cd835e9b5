import Foundation
import ParitySupport

/// The recorder's PNG and what stands in for it.
///
/// The recorder's image class was a stub that looked at a PNG's header: the data of its 3 x 2 pixels
/// are 14 bytes of 20, with a wrong checksum. Here that is an error. So the cases, which are about
/// status and type, are played with an intact picture of the same size, and what is seen of its
/// bytes is compared as the recorder's.
enum RecordedPNG {
    static let broken =
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGP4z8AAQSAEAC3tBfuVX0nRAAAA"
        + "AElFTkSuQmCC"
    private static let intact =
        "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR42mP4z8AAQQxwFgBB0gX7b/EW"
        + "xwAAAABJRU5ErkJggg=="

    /// The body to be played.
    static func body(_ recorded: Data?) -> Data? {
        recorded?.base64EncodedString() == broken ? Data(base64Encoded: intact) : recorded
    }

    /// What was seen, with the recorder's bytes.
    static func recorded(_ seen: GoldenValue) -> GoldenValue {
        switch seen {
        case .string(intact): .string(broken)
        case .array(let elements): .array(elements.map(recorded))
        case .object(let members): .object(members.mapValues(recorded))
        default: seen
        }
    }
}
