import FoundationXML
import OperationNetworking
import TestSupport

extension CompatExam {
    /// Tier C: program 21.
    @Suite("C: XML feed", .timeLimit(.minutes(5)))
    struct FeedTests {
        private func manager(_ exam: Exam) -> HTTPRequestOperationManager {
            let manager = exam.manager()
            let serializer = XMLParserResponseSerializer()
            serializer.acceptableContentTypes?.formUnion([
                "application/rss+xml", "application/atom+xml",
            ])
            manager.responseSerializer = serializer
            return manager
        }

        /// What the program's delegate counts of a parser that a success block was given.
        private func parse(
            _ exam: Exam, _ path: String, namespaces: Bool = false
        ) async throws -> (isParsed: Bool, counts: [String: Int], error: (any Error)?) {
            let found = Watched<ElementCounts?>(nil)
            let result = Watched<(Bool, (any Error)?)?>(nil)
            let operation = manager(exam).get(
                path,
                success: exam.success { _, object in
                    guard let parser = object as? XMLParser else { return }
                    let counts = ElementCounts()
                    parser.delegate = counts
                    parser.shouldProcessNamespaces = namespaces
                    // Nothing was parsed so far, or the delegate would miss what came before.
                    let isParsed = parser.parse()
                    found.change { $0 = counts }
                    result.change { $0 = (isParsed, parser.parserError) }
                }, failure: exam.failure)
            let outcome = try await exam.outcome(of: operation)
            #expect(outcome.object is XMLParser && outcome.error == nil)
            let (isParsed, error) = try #require(result.now)
            return (isParsed, try #require(found.now).counts, error)
        }

        @Test(arguments: ExamHost.all)
        func `21. The success block parses`(host: ExamHost) async throws {
            try await Exam.run(host) { exam in
                let (isParsed, counts, error) = try await parse(exam, "xml")
                #expect(isParsed && error == nil)
                #expect(counts["slideshow"] == 1 && counts["slide"] == 2 && counts["title"] == 2)
            }
        }

        @Test
        func `21. A feed with namespaces, of a type that was added`() async throws {
            try await Exam.run { exam in
                let plain = try await parse(exam, "x/feed")
                #expect(plain.isParsed && plain.counts["item"] == 3 && plain.counts["x:note"] == 1)
                let aware = try await parse(exam, "x/feed", namespaces: true)
                #expect(aware.isParsed && aware.counts["item"] == 3)
                #expect(aware.counts["note in urn:example:x"] == 1)
            }
        }
    }
}

/// A delegate that counts elements by name; those in a namespace also with it.
private final class ElementCounts: NSObject, XMLParserDelegate, @unchecked Sendable {
    // @unchecked because it is only used inside one block.
    private(set) var counts: [String: Int] = [:]

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName: String?, attributes: [String: String]
    ) {
        counts[elementName, default: 0] += 1
        if let namespaceURI, !namespaceURI.isEmpty {
            counts["\(elementName) in \(namespaceURI)", default: 0] += 1
        }
    }
}
