import Foundation

/// The first line of a recording that is written as JSON lines.
struct RecordingHeader: Codable {
    static let version = 1

    var version = Self.version
    let process: String
    let startTime: UInt64
    let startDate: Date
    /// The number of events and exchanges that were not stored, since the recording was full.
    let dropped: Int
    /// How many texts of events and exchanges were left out because a limit for texts was reached; nil in a file of an
    /// earlier version of the package.
    let textsLeftOut: Int?
    /// The names of threads; a key is the kernel's thread id in decimal digits.
    let threads: [String: String]
    let processes: [Recording.Process]
    /// How many lines of events follow the header, and how many lines of exchanges follow the events.
    let events, exchanges: Int
}

/// Encodes and decodes the header and the exchanges of a recording. Events are written and read by hand, since
/// `Codable` is slow.
enum RecordingCoding {
    static func encoder() -> JSONEncoder {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .custom { date, encoder in
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp.text(date))
        }
        return encoder
    }

    static func decoder() -> JSONDecoder {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let date = Timestamp.date(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "Not a date in ISO 8601 with milliseconds.")
            }
            return date
        }
        return decoder
    }
}
