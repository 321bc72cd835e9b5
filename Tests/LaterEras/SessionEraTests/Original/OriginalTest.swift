import Foundation

/// A test of AFNetworking 4.0.1, and what became of it.
struct OriginalTest {
    /// How much of the original means something on Linux.
    enum Portability: String {
        /// As it is, against a local server.
        case asItIs = "A"
        /// With one thing otherwise.
        case substitute = "B"
        /// Not at all.
        case none = "N"
    }

    enum Answer {
        /// A function of the original's name in this folder, and what it puts in place of what.
        case here(String?)
        /// A test of the serializers or the policy, which the eras share: file and name.
        case shared(file: String, test: String)
        /// Not to be had, and why; a fact measured of Foundation on Linux is named by its number.
        case not(String)
    }

    let file: String
    let name: String
    let portability: Portability
    let answer: Answer

    /// The function of a test that is here: the name without `test` or `testThat`.
    var function: String {
        let rest = name.dropFirst(name.hasPrefix("testThat") ? 8 : 4)
        let capitals = rest.prefix { $0.isUppercase }.count
        // An abbreviation is in lower case but for the first letter of the word behind it.
        let lowered = capitals > 1 && capitals < rest.count ? capitals - 1 : capitals
        return rest.prefix(lowered).lowercased() + rest.dropFirst(lowered)
    }
}

extension OriginalTest {
    static let all = sessions + shared

    static func file(_ file: String, _ entries: [Entry]) -> [OriginalTest] {
        entries.map { entry in
            OriginalTest(
                file: file, name: entry.name, portability: entry.portability,
                answer: entry.answer)
        }
    }

    /// A test of a file; the letter is its portability.
    struct Entry {
        let name: String
        let portability: Portability
        let answer: Answer

        static func a(_ name: String, _ answer: Answer = .here(nil)) -> Entry {
            Entry(name: name, portability: .asItIs, answer: answer)
        }

        static func b(_ name: String, _ answer: Answer) -> Entry {
            Entry(name: name, portability: .substitute, answer: answer)
        }

        static func n(_ name: String, _ reason: String) -> Entry {
            Entry(name: name, portability: .none, answer: .not(reason))
        }
    }
}
