import Foundation
import Lessons

/// What the child process of an experiment says, in one line.
struct ExperimentMessage: Codable, Sendable {
    var result: ExperimentResult?
    /// Why there is none.
    var error: String?

    /// With its line feed.
    var line: String {
        let data = (try? JSONEncoder().encode(self)) ?? Data()
        return String(decoding: data, as: UTF8.self) + "\n"
    }
}
