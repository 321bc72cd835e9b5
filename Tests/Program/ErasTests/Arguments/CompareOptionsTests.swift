import TestSupport

@testable import eras

@Suite("Arguments of compare", .timeLimit(.minutes(1)))
struct CompareOptionsTests {
    @Test func `without arguments all scenarios run five times`() throws {
        #expect(try Command(["compare"]) == .compare(CompareOptions()))
        #expect(CompareOptions().runs == 5)
        #expect(CompareOptions().chosen.count == ScenarioList.all.count)
    }

    @Test func `scenarios run in the list's order, each once`() {
        let options = CompareOptions(scenarios: ["cancel-one", "batch", "cancel-one"])
        #expect(options.chosen.map(\.id) == ["batch", "cancel-one"])
    }

    @Test func `every option is understood`() throws {
        let command = try Command([
            "compare", "batch", "--json", "-", "--html=p.html", "--markdown", "d.md", "--check",
            "--runs", "20", "--list", "-q",
        ])
        #expect(
            command
                == .compare(
                    CompareOptions(
                        scenarios: ["batch"], json: "-", html: "p.html", markdown: "d.md",
                        isCheck: true, runs: 20, isList: true, isQuiet: true)))
    }

    @Test(arguments: [
        (["nope"], "There is no scenario \"nope\"; eras compare --list names them."),
        (["ten-json-get"], "There is no scenario \"ten-json-get\"; did you mean ten-json-gets?"),
        (
            ["--check", "--markdown", "-"],
            "--check needs a file to look at, not standard output."
        ),
        (["--runs", "0"], "--runs needs a whole number from 1 to 1000, not \"0\"."),
        (["--check"], "--check needs --markdown FILE."),
        (["--fast"], "There is no option --fast."),
        (["--json"], "--json needs a file, or - for standard output."),
    ])
    func `a mistake is reported in one sentence`(arguments: [String], sentence: String) {
        #expect(throws: UsageError(sentence: sentence, topic: .compare)) {
            try Command(["compare"] + arguments)
        }
    }

    @Test func `the nearest name is meant, unless too much of it is wrong`() {
        #expect(Likeness.steps(from: "kitten", to: "sitting") == 3)
        #expect(Likeness.steps(from: "", to: "abc") == 3)
        let names = ["cancel-one", "cancel-all"]
        #expect(Likeness.nearest(to: "cancel-al", among: names) == "cancel-all")
        #expect(Likeness.nearest(to: "one", among: names) == nil)
        #expect(Likeness.nearest(to: "one", among: []) == nil)
    }

    @Test func `what a child is reported is what it understands`() throws {
        let child = ChildOptions(
            scenario: "batch", column: .foundation, baseURL: "http://127.0.0.1:1/",
            ground: "http://127.0.0.1:2/", folder: "/f")
        #expect(try Command(child.arguments) == .compareChild(child))
    }

    @Test func `the help names every option and every column`() {
        let text = HelpText.text(for: .compare)
        for column in Column.allCases {
            #expect(text.contains("\n  \(column.rawValue) "))
            #expect(text.contains(column.summary))
        }
        for option in ["--list", "--runs", "--json", "--html", "--markdown", "--check", "-q"] {
            #expect(text.contains(option))
        }
    }
}
