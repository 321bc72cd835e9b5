import CurlConnection
import TestSupport

@Suite("Uploads", .timeLimit(.minutes(5)))
struct UploadTests {
    private static let bytes = GeneratedBytes.bytes(seed: 5, range: 0..<1_500_000)

    /// A body, and the length that is declared of it.
    enum Kind: String, CaseIterable, Sendable {
        case data, file, fileOfKnownLength, memory, memoryOfKnownLength, pieces

        var isKnown: Bool { [.data, .fileOfKnownLength, .memoryOfKnownLength].contains(self) }

        func add(_ bytes: Data, _ file: TemporaryFile, to request: inout URLRequest) {
            switch self {
            case .data: request.httpBody = bytes
            case .file, .fileOfKnownLength:
                request.httpBodyStream = InputStream(fileAtPath: file.path)
            case .memory, .memoryOfKnownLength: request.httpBodyStream = InputStream(data: bytes)
            case .pieces:
                let half = bytes.count / 2
                request.httpBodyStream = PiecesStream([bytes.prefix(half), bytes.dropFirst(half)])
            }
            if isKnown, self != .data {
                request.setValue("\(bytes.count)", forHTTPHeaderField: "Content-Length")
            }
        }
    }

    @Test(arguments: Kind.allCases, ["POST", "PUT", "PATCH", "DELETE"])
    func `the right bytes arrive in one framing`(kind: Kind, method: String) throws {
        let file = try TemporaryFile(Self.bytes)
        try withWorld { world in
            var request = world.request("/upload", method)
            kind.add(Self.bytes, file, to: &request)
            let heard = world.load(request)
            #expect(heard.status == 200, "\(String(describing: heard.error))")
            let seen = try #require(world.server.requests.first)
            #expect(seen.method == method)
            #expect(seen.bodyHash == BodyHash.of(Self.bytes))
            #expect(seen.headers.values("Content-Length") == (kind.isKnown ? ["1500000"] : []))
            #expect(seen.headers.values("Transfer-Encoding") == (kind.isKnown ? [] : ["chunked"]))
            #expect(seen.headers["Expect"] == nil)
            #expect(heard.sentBytes == 1_500_000)
            #expect(heard.sentTotal == 1_500_000)
            #expect(heard.sentExpected == (kind.isKnown ? 1_500_000 : -1))
            #expect(heard.order == [.willSend, .sent, .response, .data, .finish])
        }
        withExtendedLifetime(file) {}
    }

    @Test func `an empty body has a length where the method expects a body`() throws {
        try withWorld { world in
            for method in ["POST", "PUT", "PATCH", "GET", "DELETE"] {
                #expect(world.load(world.request("/echo", method)).status == 200)
            }
            #expect(
                world.server.requests.map { $0.headers["Content-Length"] }
                    == ["0", "0", "0", nil, nil])
            #expect(world.server.requests.allSatisfy { $0.headers["Transfer-Encoding"] == nil })
        }
    }

    @Test(arguments: Kind.allCases)
    func `a body of no bytes is a body`(kind: Kind) throws {
        let file = try TemporaryFile(Data())
        try withWorld { world in
            var request = world.request("/upload", "POST")
            request.timeoutInterval = 5
            kind.add(Data(), file, to: &request)
            let heard = world.load(request)
            #expect(heard.status == 200)
            #expect(world.server.requests.first?.bodyLength == 0)
        }
        withExtendedLifetime(file) {}
    }

    @Test func `a caller's chunked framing is the only one`() throws {
        try withWorld { world in
            var request = world.request("/upload", "POST")
            request.httpBody = Self.bytes
            request.setValue("chunked", forHTTPHeaderField: "Transfer-Encoding")
            #expect(world.load(request).status == 200)
            let seen = try #require(world.server.requests.first)
            #expect(seen.bodyHash == BodyHash.of(Self.bytes))
            #expect(seen.headers["Content-Length"] == nil)
            #expect(seen.headers.values("Transfer-Encoding") == ["chunked"])
        }
    }

    @Test func `a stream that is dry rests and goes on`() throws {
        try withWorld { world in
            let stream = Box(PiecesStream([Data("ab".utf8), Data("cd".utf8)], allowed: 1))
            var request = world.request("/upload", "POST")
            request.httpBodyStream = stream.value
            let recorder = Recorder()
            world.thread.start(request, recorder)
            #expect(
                world.server.waitUntil(timeout: patience) { statistics, log in
                    log.count == 1 && statistics.bytesReceived > 0
                })
            // Given the other connections of the thread go on meanwhile
            #expect(world.load("/ok").text == "hello world")
            #expect(!recorder.heard.hasEnded)
            stream.value?.allow(1)
            #expect(recorder.atEnd().status == 200)
            #expect(world.server.requests.first?.body == Data("abcd".utf8))
        }
    }

    @Test(arguments: [false, true])
    func `without another one, a stream that was at its end is sent as the caller gave it`(
        isLate: Bool
    ) throws {
        try withWorld { world in
            let stream = PiecesStream([])
            stream.open()
            var byte: UInt8 = 0
            #expect(stream.read(&byte, maxLength: 1) == 0)
            var request = world.request("/upload", "PUT")
            request.httpBodyStream = stream
            let decider = isLate ? Decider(late: .stream) : Decider()
            world.thread.start(request, decider)
            #expect(decider.isCalled(.stream))
            world.thread.settle()
            decider.asked.stream?.answer(nil)
            #expect(decider.recorder.atEnd().status == 200)
            #expect(world.server.requests.map(\.bodyLength) == [0])
        }
    }

    @Test func `a stream that fails is the connection's failure`() throws {
        try withWorld { world in
            var request = world.request("/upload", "POST")
            request.httpBodyStream = PiecesStream(
                [Data("ab".utf8)], failure: URLError(.cannotOpenFile))
            let heard = world.load(request)
            #expect(heard.code == .cannotOpenFile)
            #expect(heard.ends == 1)
            #expect(world.serverSeesTheClose())
            var other = world.request("/upload", "POST")
            other.httpBodyStream = PiecesStream([], failure: BrokenSource())
            let second = world.load(other)
            #expect(second.code?.rawValue == -1021)
            #expect(second.error?.underlyingError is BrokenSource)
        }
    }

    @Test func `a stream shorter than declared fails, a longer one is cut`() throws {
        try withWorld { world in
            for (declared, isWell) in [("10", false), ("3", true)] {
                var request = world.request("/upload", "POST")
                request.httpBodyStream = InputStream(data: Data("abcde".utf8))
                request.setValue(declared, forHTTPHeaderField: "Content-Length")
                let heard = world.load(request)
                #expect(heard.code?.rawValue == (isWell ? nil : -1021))
            }
            #expect(world.server.requests.last?.body == Data("abc".utf8))
        }
    }

    @Test func `an answer before the end of a 5 MB upload can be read`() throws {
        let body = GeneratedBytes.bytes(seed: 1, range: 0..<5_000_000)
        try withWorld { world in
            for _ in 0..<5 {
                var request = world.request("/early-413", "POST")
                request.httpBody = body
                let heard = world.load(request)
                #expect(heard.status == 413)
                #expect(heard.order.last == .finish)
                #expect(heard.sentBytes <= 5_000_000)
            }
        }
    }

    @Test func `a body that libcurl offers to a GET is sent too`() throws {
        try withWorld { world in
            var request = world.request("/echo", "GET")
            request.httpBody = Data("query".utf8)
            #expect(world.load(request).status == 200)
            #expect(world.server.requests.first?.body == Data("query".utf8))
            #expect(world.server.requests.first?.method == "GET")
        }
    }

    /// libcurl is handed 2 MiB at a time; that the socket takes just as much and no more happens.
    @Test(arguments: [100_000, 50_000_000])
    func `what is in the socket is told, though nobody asks for more`(length: Int) throws {
        try withWorld { world in
            var request = world.request("/unread", "POST")
            request.httpBody = Data(count: length)
            let recorder = Recorder()
            world.thread.start(request, recorder)
            #expect(recorder.wait { $0.sentTotal >= 100_000 })
            let heard = recorder.heard
            #expect(heard.sentBytes == heard.sentTotal)
            #expect(length == 100_000 || heard.sentTotal < length)
            _ = world.thread.sync { recorder.connection?.cancel() }
        }
    }

    @Test func `a slow reader's progress is told in pieces of at most 32 KiB`() throws {
        try withWorld { world in
            var request = world.request("/slow-read?bps=2000000", "POST")
            request.httpBody = Data(count: 1_000_000)
            let recorder = Recorder()
            let totals = Box<[Int64]>([])
            recorder.onCall = { call, _ in
                if call == .sent { totals.value?.append(recorder.heard.sentTotal) }
            }
            #expect(world.load(request, recorder).text == "read")
            let all = try #require(totals.value)
            #expect(all.count >= 10)
            #expect(zip([0] + all, all).allSatisfy { (1...32_768).contains($1 - $0) })
            #expect(all.last == 1_000_000)
        }
    }

    /// The system would take megabytes into the socket at once for a peer that reads nothing.
    @Test func `what a peer leaves unread is not told as sent`() throws {
        try withWorld { world in
            world.server.hold("reading")
            world.server.add("/later", beforeBody: true) { _ in
                ScriptedResponse.text("read").after(
                    .wait(gate: "reading"), .readBodySlowly(bytesPerSecond: 1e9))
            }
            var request = world.request("/later", "POST")
            request.httpBody = Data(count: 2_000_000)
            let recorder = Recorder()
            world.thread.start(request, recorder)
            #expect(world.server.waitUntilReached("reading", count: 1, timeout: patience))
            #expect(recorder.wait { $0.sentTotal >= 32_768 })
            world.thread.settle()
            #expect(recorder.heard.sentTotal < 1_000_000)
            world.server.release("reading")
            #expect(recorder.atEnd().sentTotal == 2_000_000)
        }
    }

    @Test func `a cancel inside a report of progress is the last call`() throws {
        try withWorld { world in
            var request = world.request("/unread", "POST")
            request.httpBody = Data(count: 2_000_000)
            let recorder = Recorder()
            recorder.onCall = { if $0 == .sent { $1.cancel() } }
            world.thread.start(request, recorder)
            #expect(recorder.wait { $0.count(.sent) > 0 })
            world.thread.settle()
            #expect(recorder.heard.count(.sent) == 1)
        }
    }
}
