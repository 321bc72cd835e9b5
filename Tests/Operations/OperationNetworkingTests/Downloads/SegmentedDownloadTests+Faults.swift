import CurlConnection
import HTTPSemantics
import TestSupport
@testable import OperationNetworking

// Servers that get it wrong.

extension SegmentedDownloadTests {
    @Test(arguments: Fault.allCases)
    func `what further connections get wrong is left to the first`(fault: Fault) async throws {
        let world = TestWorld()
        world.server.hold("rest")
        world.server.add("/fault") { request in
            guard request.headers["Range"] != nil else {
                let whole = ScriptedResponse.generatedFile(
                    seed: 3, length: Self.length, request: request)
                return ScriptedResponse(
                    whole.steps.dropLast() + [
                        .generated(seed: 3, range: 0..<10_000), .wait(gate: "rest"),
                        .generated(seed: 3, range: 10_000..<Self.length),
                    ])
            }
            guard request.headers["Range"] == "bytes=500000-" else {
                return .generatedFile(seed: 3, length: Self.length, request: request)
            }
            return Self.wrong(fault, request)
        }
        async let result = world.download("/fault", as: "a", options(2))
        #expect(
            world.server.waitUntil(timeout: patience) { statistics, _ in
                statistics.requests == 2 && statistics.inFlight == 1
            })
        world.server.release("rest")
        let file = try await result
        #expect(world.contents("a") == generated(3, Self.length), "\(fault)")
        #expect(file.sha256 == (try hash(generated(3, Self.length))) && world.names == ["a"])
    }

    /// The wrong response to `bytes=500000-`; its bytes are those of another file where that shows.
    private static func wrong(_ fault: Fault, _ request: RecordedRequest) -> ScriptedResponse {
        func part(
            _ range: Range<Int64>, tag: String? = "\"g3-1000000\"", total: Int64 = length,
            sent: Range<Int64>? = nil, seed: UInt64 = 4, more: [(String, String)] = []
        ) -> ScriptedResponse {
            var headers = [
                ("Content-Range", "bytes \(range.lowerBound)-\(range.upperBound - 1)/\(total)")
            ]
            if let tag { headers.append(("ETag", tag)) }
            headers += more
            if fault != .endless { headers.append(("Content-Length", "\(range.count)")) }
            if fault == .endless { headers.append(("Connection", "close")) }
            return ScriptedResponse([
                .bytes(ScriptedResponse.head(206, headers)),
                .generated(seed: seed, range: sent ?? range), .close,
            ])
        }
        switch fault {
        case .ignored:
            return .data(generated(4, length), headers: [("ETag", "\"g3-1000000\"")])
        case .anotherFile:
            return .generatedFile(seed: 4, length: length, request: request)
        case .another206: return part(500_000..<length, tag: "\"other\"")
        case .noTag: return part(500_000..<length, tag: nil)
        case .weakTag: return part(500_000..<length, tag: "W/\"g3-1000000\"")
        case .overlap: return part(400_000..<length)
        case .tooEarly: return part(0..<length)
        case .tooShort: return part(500_000..<600_000)
        case .otherTotal: return part(500_000..<length, total: length + 1)
        case .busy: return .text("busy", status: 503)
        case .cut: return part(500_000..<length, sent: 500_000..<700_000, seed: 3)
        case .coded: return part(500_000..<length, more: [("Content-Encoding", "gzip")])
        case .endless: return part(500_000..<length, sent: 500_000..<length, seed: 3)
        }
    }

    @Test func `where the first is gone too, the next try finds the file that there is`()
        async throws
    {
        let world = TestWorld()
        let count = Watched(0)
        world.server.add("/changes") { request in
            count.change { $0 += 1 }
            let isFirst = request.headers["Range"] == nil && count.now == 1
            let whole = ScriptedResponse.generatedFile(
                seed: isFirst ? 3 : 4, length: Self.length, request: request)
            guard isFirst else { return whole }
            return ScriptedResponse(
                whole.steps.dropLast() + [.generated(seed: 3, range: 0..<300_000), .close])
        }
        _ = try await world.download("/changes", as: "a", options(tries: 4))
        #expect(world.contents("a") == generated(4, Self.length) && world.names == ["a"])
    }

    @Test func `a wrong hash of parts is never published`() async throws {
        let world = TestWorld()
        let right = try hash(generated(3, Self.length))
        let options = options(tries: 3).expecting(right)
        let error = await world.failure("/bytes/1000000?seed=4", as: "a", options)
        #expect(error as? DownloadError != nil && world.names == [])
        _ = try await world.download("/bytes/1000000?seed=3", as: "a", options)
        #expect(world.names == ["a"])
    }
}
