import TestSupport

@testable import eras

/// The help and the table of a command say the same.
@Suite("Options in the help and in the table", .timeLimit(.minutes(1)))
struct OptionTableTests {
    private func check<Options: CommandOptions>(
        _ type: Options.Type, hidden: Set<String> = []
    ) {
        let spellings = HelpText.spellings(of: type.topic)
        let keys = type.table.map { String($0.key.split(separator: " ")[0]) }
        #expect(Set(keys).count == keys.count)
        #expect(Set(spellings.map(\.long)) == Set(keys).subtracting(hidden))
        let shorts = spellings.compactMap(\.short)
        #expect(Set(shorts).count == shorts.count)
        for spelling in spellings {
            let takesValue = type.needs(spelling.long)?.isEmpty == false
            #expect(takesValue == (spelling.placeholder != nil), "\(spelling.long)")
        }
    }

    @Test func `what the help lists is read, and what is read is listed or the program's own`() {
        check(FetchOptions.self)
        check(GalleryOptions.self)
        check(ServeOptions.self)
        check(RunOptions.self)
        check(
            CompareOptions.self,
            hidden: ["--child", "--column", "--base-url", "--ground", "--folder"])
        check(
            LessonOptions.self, hidden: ["--experiment", "--recording", "--update", "--check"])
        check(QuizOptions.self)
        check(MigrateOptions.self)
        check(CompletionOptions.self)
        check(ManOptions.self)
    }

    @Test func `a short name is the long one`() throws {
        for spelling in HelpText.spellings(of: .fetch) {
            guard let short = spelling.short else { continue }
            // Each takes one of these, and most take any.
            let read = ["1", "a: b"].map { value in
                [spelling.long, short].map { name in
                    try? Command(
                        ["fetch", "--cert", "c", name]
                            + (spelling.placeholder == nil ? [] : [value]))
                }
            }
            #expect(read.allSatisfy { $0[0] == $0[1] })
            #expect(read.contains { $0[0] != nil }, "\(short)")
        }
    }

    @Test func `other names of an option are read as well`() throws {
        #expect(try Command(["fetch", "--split", "3"]) == Command(["fetch", "--segments", "3"]))
        #expect(try Command(["fetch", "--retry", "3"]) == Command(["fetch", "--retries", "3"]))
    }

    @Test func `the help has the ranges that are read`() {
        #expect(HelpText.text(for: .fetch).contains("N         files at once, 1 to 256 (4)"))
        #expect(HelpText.text(for: .serve).contains("the port, 0 to 65535; 0 lets"))
        let runs = "runs of each scenario in each column, 1 to 1000 (5)"
        #expect(HelpText.text(for: .compare).contains(runs))
        for topic in HelpTopic.allCases {
            #expect(!HelpText.text(for: topic).contains("{range}"))
        }
    }
}
