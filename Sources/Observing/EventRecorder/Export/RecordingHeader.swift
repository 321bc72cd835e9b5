import Foundation

/// The first line of a recording in JSON lines.
struct RecordingHeader: Codable {
    static let version = 1

    var version = Self.version
    let process: String
    let startTime: UInt64
    let startDate: Date
    let dropped: Int
    /// Missing in files of earlier versions.
    let textsLeftOut: Int?
    /// By the kernel's thread ids.
    let threads: [String: String]
    let processes: [Recording.Process]
    /// How many lines of each follow.
    let events, exchanges: Int
}

/// How header and exchanges are coded; events have code of their own.
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
                    in: container, debugDescription: "No date in ISO 8601 with milliseconds.")
            }
            return date
        }
        return decoder
    }
}
