import TestSupport

@testable import OperationNetworking

/// A credential is for the server that was asked for (wound 65).
@Suite("The credential of an operation", .timeLimit(.minutes(5)))
struct HTTPCredentialOriginTests {
    private let world = TestWorld()
    private let other = TestWorld()

    private func run(_ operation: HTTPRequestOperation) async {
        operation.networkThread = world.thread
        operation.credential = URLCredential(user: "user", password: "pass", persistence: .none)
        let end = Signal()
        operation.setCompletionBlock(
            success: { _, _ in end.fire() }, failure: { _, _ in end.fire() })
        operation.start()
        await end.wait()
    }

    @Test func `it is not given to a server that a redirect leads to`() async {
        let target = other.server.url("/basic").absoluteString
        world.server.add("/away") { _ in .redirect(to: target) }
        let operation = HTTPRequestOperation(request: world.request("/away"))
        await run(operation)
        #expect(operation.response?.statusCode == 401)
        #expect(other.server.requests.count == 1)
        #expect(other.server.requests.allSatisfy { $0.headers["Authorization"] == nil })
    }

    @Test func `it is given after a redirect on its own server`() async {
        world.server.add("/near") { _ in .redirect(to: "/basic") }
        let operation = HTTPRequestOperation(request: world.request("/near"))
        await run(operation)
        #expect(operation.response?.statusCode == 200)
    }
}
