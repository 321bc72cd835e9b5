import TestSupport

@testable import eras

@Suite("The scan of old sources", .timeLimit(.minutes(1)))
struct SourceScanTests {
    /// Path, line and text of each finding, and further lines in brackets, as the report prints them.
    private func report(_ sources: [String: String]) -> [String] {
        let index = RenameIndex()
        let read = sources.sorted { $0.key < $1.key }.map { path, text in
            ScannedSource(path: path, bytes: Array(text.utf8), index: index)
        }
        var project = ProjectNames()
        for source in read { project.add(source, index) }
        let scanner = SourceScanner(project, index: index)
        let report = ScanReport(scans: read.map(scanner.scan), files: read.count)
        return report.text.split(separator: "\n").dropLast().map(String.init)
    }

    @Test func `a wrapper in Objective-C has a line for each old name`() {
        let wrapper = """
            #import "TideClient.h"
            #import <AFNetworking/AFNetworking.h>
            // AFHTTPClient in a comment does not count
            @implementation TideClient
            + (instancetype)shared {
                @synchronized(self) {
                    return [[self alloc] initWithBaseURL:[NSURL URLWithString:@"http://h/AFFake"]];
                }
            }
            - (void)tides:(void (^)(id))done {
                [self GET:@"tides"
                    parameters:@{@"day": wet ? @"a" : @"b"}
                    success:^(AFHTTPRequestOperation *operation, id object) {
                        done([object valueForKey:@"tides"]);
                    } failure:nil];
                AFXMLRequestOperation *old = nil;
            }
            @end
            """
        let header = "@interface TideClient : AFHTTPRequestOperationManager\n@end\n"
        #expect(
            report(["TideClient.m": wrapper, "TideClient.h": header]) == [
                "TideClient.h:1: AFHTTPRequestOperationManager: HTTPRequestOperationManager",
                "TideClient.m:2: AFNetworking.h: import OperationNetworking, SessionEra for "
                    + "session managers, NetworkImages",
                "TideClient.m:6: \"What does not compile\": `objc_sync_enter`, `objc_sync_exit`, "
                    + "`autoreleasepool`: an `NSRecursiveLock`; the block alone",
                "TideClient.m:11: GET:parameters:success:failure: of "
                    + "AFHTTPRequestOperationManager: get(_:parameters:success:failure:)",
                "TideClient.m:13: AFHTTPRequestOperation: HTTPRequestOperation",
                "TideClient.m:16: AFXMLRequestOperation: nothing here, because it is of 1.x; "
                    + "go to 2.x first",
            ])
    }

    @Test func `a wrapper in Swift has a line for what is other here`() {
        let wrapper = """
            import AFNetworking
            final class Harbour: AFHTTPSessionManager {
                /* AFGone /* nested */ AFGone */
                func load(_ operation: AFHTTPRequestOperation) {
                    responseSerializer = AFHTTPResponseSerializer()
                    get("x", parameters: nil, progress: nil, success: nil)
                    let text = \"""
                        AFGone
                        \"""
                    operation.setCompletionBlockWithSuccess(nil, failure: nil); AFTideGauge.go(text)
                }
            }
            """
        let found = report(["Harbour.swift": wrapper])
        #expect(
            found.filter { !$0.contains("\"What ") } == [
                "Harbour.swift:1: AFNetworking: stays until no old name is left (MIGRATION.md)",
                "Harbour.swift:2: AFHTTPSessionManager: HTTPSessionManager",
                "Harbour.swift:4: AFHTTPRequestOperation: HTTPRequestOperation",
                "Harbour.swift:5: AFHTTPResponseSerializer: HTTPResponseSerializer",
                "Harbour.swift:6: get(_:parameters:progress:success:failure:) of "
                    + "AFHTTPSessionManager: get(_:parameters:headers:progress:success:failure:); "
                    + "3.x",
                "Harbour.swift:10: setCompletionBlockWithSuccess(_:failure:) of "
                    + "AFHTTPRequestOperation: setCompletionBlock(success:failure:)",
                "Harbour.swift:10: AFTideGauge: nothing here, because no header of 2.7, 3.x or "
                    + "4.0.1 declares it; private there, or another library's",
            ])
        let over = "Harbour.swift:2: \"What does not compile\": an over"
        #expect(found.contains { $0.hasPrefix(over) })
    }

    @Test func `the receiver's type decides, then the file's types, then the project's`() {
        let both = "AFHTTPSessionManager *a; AFHTTPRequestOperationManager *b;"
        let sends = "[c GET:u parameters:p success:s failure:f];"
        let asked = "[[AFHTTPSessionManager manager] GET:u parameters:p success:s failure:f];"
        func owners(_ sources: [String: String]) -> [String] {
            report(sources).filter { $0.contains(" GET:") }.compactMap {
                $0.components(separatedBy: " of ").last?.components(separatedBy: ":").first
            }
        }
        let operations = "AFHTTPRequestOperationManager"
        #expect(owners(["a.m": both, "b.m": sends]) == [operations, "AFHTTPSessionManager"])
        #expect(owners(["a.m": both, "b.m": asked]) == ["AFHTTPSessionManager"])
        #expect(owners(["a.m": both, "b.m": operations + " *x; " + sends]) == [operations])
        // Types of the project's own that have such a method.
        let own = """
            @interface Shop : NSObject
            + (void)GET:(id)u parameters:(id)p success:(id)s failure:(id)f;
            @end
            [Shop GET:u parameters:p success:s failure:f];
            """
        #expect(owners(["a.m": both, "b.m": own]) == [])
        #expect(owners(["a.m": sends]) == [])
    }

    @Test func `a setter of several types is found by the receiver's type`() {
        let types = [
            "AFHTTPRequestOperationManager", "AFURLSessionManager", "AFHTTPSessionManager",
        ]
        for type in types {
            let lines = report(["a.m": "[[\(type) manager] setSecurityPolicy:p];"])
            let setters = lines.filter { $0.hasPrefix("a.m:1: setSecurityPolicy: ") }
            #expect(setters.count == 1, "\(lines)")
            #expect(setters.allSatisfy { $0.contains(" of \(type): the same") }, "\(setters)")
        }
    }

    @Test func `own names that look like AFNetworking's are the project's`() {
        let text = """
            NSString * const AFTideKey = @"k";
            typedef void (^AFTideBlock)(int);
            @interface NSObject (AFTidePatch)
            @end
            @interface AFTide : NSObject
            @end
            AFTide *tide; AFTideBlock block;
            """
        #expect(report(["a.m": text]) == [])
    }

    @Test func `any bytes are read to their end`() {
        let parts = [
            "[", "]", "(", "?", ":", "\"", "@\"", "/*", "\\", "AFHTTPSessionManager", "\n",
        ]
        var state: UInt64 = 7
        for _ in 0..<300 {
            var text = ""
            for _ in 0..<60 {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                text += parts[Int(state >> 33) % parts.count]
            }
            _ = report(["a.m": text, "a.swift": text])
        }
        let deep = String(repeating: "[", count: 50_000)
        #expect(report(["a.m": deep, "b.swift": deep]) == [])
        // Each costs time by its square where what is open, what is declared or what was found is walked.
        let unmatched =
            String(repeating: "(", count: 50_000) + String(repeating: "}", count: 50_000)
        #expect(report(["a.m": unmatched, "b.swift": unmatched]) == [])
        let classes = String(repeating: "class a\n", count: 20_000)
        #expect(report(["a.m": classes + String(repeating: "-(v)a;\n", count: 20_000)]) == [])
        #expect(report(["a.m": String(repeating: "AFAb\n", count: 100_000)]).count == 1)
    }

    @Test func `each trigger leads to a row, and each row of what does not compile has one`() {
        let rows = TableRows()
        for (start, names) in TableRows.triggers {
            let fitting = rows.all.filter { $0.cells.first?.hasPrefix(start) == true }
            #expect(fitting.count == 1, "\(start)")
            #expect(!names.isEmpty)
        }
        // What only types of variables tell.
        let untold: Set = [
            "a block that touches", "an override of a verb", "a member of `SessionTask`",
            "a session manager's", "a verb or a `download`",
        ]
        let led = Set(TableRows.triggers.compactMap { rows.row($0.start) })
        let left = rows.all.filter { $0.heading == "What does not compile" && !led.contains($0) }
            .compactMap(\.cells.first)
        for cell in left { #expect(untold.contains { cell.hasPrefix($0) }, "\(cell)") }
        #expect(rows.all.count > 50)
    }
}
