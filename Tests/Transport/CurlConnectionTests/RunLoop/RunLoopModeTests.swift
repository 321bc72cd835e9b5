import CurlConnection
import TestSupport

@Suite("Run-loop modes", .timeLimit(.minutes(5)))
struct RunLoopModeTests {
    private static let other = RunLoop.Mode("RunLoopModeTests.other")

    @Test func `a connection does not start while the loop runs in another mode`() throws {
        try withWorld(modes: [.default, Self.other]) { world in
            // Given a connection for one mode and a loop in another
            let recorder = Recorder()
            world.thread.start(world.request("/ok"), recorder, modes: [Self.other])
            world.thread.settle()
            #expect(recorder.heard.calls.isEmpty)
            #expect(world.server.statistics.connectionsAccepted == 0)
            // When the loop runs in its mode
            world.thread.turn(to: Self.other)
            // Then it goes on
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `bytes stay where they are while the loop runs in another mode`() throws {
        try withWorld(modes: [.default, Self.other]) { world in
            world.server.add("/two") { _ in
                ScriptedResponse([
                    .bytes(
                        ScriptedResponse.head(200, [("Content-Length", "6")]) + Data("one".utf8)),
                    .wait(gate: "middle"), .bytes(Data("two".utf8)),
                ])
            }
            let recorder = Recorder()
            world.thread.start(world.request("/two"), recorder)
            #expect(recorder.wait { $0.text == "one" })
            // When the rest arrives while the loop is in another mode
            world.thread.turn(to: Self.other)
            world.server.release("middle")
            #expect(world.serverIsIdle())
            world.thread.settle()
            #expect(recorder.heard.text == "one")
            #expect(!recorder.heard.hasEnded)
            // Then it is delivered once the mode is back
            world.thread.turn(to: .default)
            #expect(recorder.atEnd().text == "onetwo")
        }
    }

    @Test func `a connection with two modes goes on in both`() throws {
        try withWorld(modes: [.default, Self.other]) { world in
            world.server.add("/two") { _ in
                ScriptedResponse([
                    .bytes(
                        ScriptedResponse.head(200, [("Content-Length", "6")]) + Data("one".utf8)),
                    .wait(gate: "middle"), .bytes(Data("two".utf8)),
                ])
            }
            let recorder = Recorder()
            world.thread.start(
                world.request("/two"), recorder, modes: [.default, Self.other])
            #expect(recorder.wait { $0.text == "one" })
            world.thread.turn(to: Self.other)
            world.server.release("middle")
            #expect(recorder.atEnd().text == "onetwo")
        }
    }

    @Test func `a mode may be taken away before the start`() throws {
        try withWorld(modes: [.default, Self.other]) { world in
            let recorder = Recorder()
            world.thread.start(world.request("/ok"), recorder, modes: [Self.other, .default]) {
                $0.unschedule(from: .current, forMode: Self.other)
            }
            #expect(recorder.atEnd().text == "hello world")
        }
    }

    @Test func `connections of different modes do not wait for each other`() throws {
        try withWorld(modes: [.default, Self.other]) { world in
            let waiting = Recorder()
            world.thread.start(world.request("/ok"), waiting, modes: [Self.other])
            #expect(world.load("/ok").text == "hello world")
            #expect(waiting.heard.calls.isEmpty)
            world.thread.turn(to: Self.other)
            #expect(waiting.atEnd().text == "hello world")
        }
    }

    @Test func `a failure of start itself comes in the connection's modes`() throws {
        try withWorld(modes: [.default, Self.other]) { world in
            let recorder = Recorder()
            var request = world.request("/ok")
            request.url = URL(string: "ftp://127.0.0.1/")
            world.thread.start(request, recorder, modes: [Self.other])
            world.thread.settle()
            #expect(recorder.heard.calls.isEmpty)
            world.thread.turn(to: Self.other)
            #expect(recorder.atEnd().code == .unsupportedURL)
        }
    }
}
