import Foundation
import HTTPSemantics
import Testing

@Suite("Errors with numbers", .timeLimit(.minutes(1)))
struct NumberedErrorTests {
    private enum Odd: NumberedError, Equatable {
        case plain
        case detailed(String)

        static var errorDomain: String { "odd" }

        var numbered: (number: Int, sentence: String) {
            switch self {
            case .plain: (7, "It is odd.")
            case .detailed(let path): (8, "\(path) is odd.")
            }
        }

        var details: [String: Any] {
            guard case .detailed(let path) = self else { return [:] }
            return [NSFilePathErrorKey: path, NSLocalizedDescriptionKey: "not this"]
        }
    }

    @Test
    func `number and sentence are an NSError's code and description`() {
        let error: any Error = Odd.plain
        let object = error as NSError
        #expect(object.domain == "odd" && object.code == 7)
        #expect(object.userInfo as? [String: String] == [NSLocalizedDescriptionKey: "It is odd."])
        #expect(error.localizedDescription == "It is odd.")
        #expect((error as? any LocalizedError)?.errorDescription == "It is odd.")
        #expect(error as? Odd == .plain)
    }

    @Test
    func `details stand beside the sentence and never in its place`() {
        let object = Odd.detailed("/a") as NSError
        #expect(object.code == 8)
        #expect(
            object.userInfo as? [String: String]
                == [NSFilePathErrorKey: "/a", NSLocalizedDescriptionKey: "/a is odd."])
    }
}
