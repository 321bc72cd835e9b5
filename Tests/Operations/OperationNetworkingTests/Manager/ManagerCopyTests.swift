import TestSupport

@testable import OperationNetworking

/// What a copy and an archive of a manager keep (CO-8, wounds 5 and 43), and what subclasses see.
@Suite("A manager's copies and subclasses", .timeLimit(.minutes(5)))
struct ManagerCopyTests {
    private func configured() -> HTTPRequestOperationManager {
        let manager = HTTPRequestOperationManager(baseURL: URL(string: "http://127.0.0.1:1/v1"))
        manager.requestSerializer = JSONRequestSerializer()
        manager.requestSerializer.setValue("1", forHTTPHeaderField: "X-A")
        manager.responseSerializer = PropertyListResponseSerializer()
        manager.responseSerializer.acceptableContentTypes = ["text/x"]
        manager.shouldUseCredentialStorage = false
        manager.credential = URLCredential(user: "u", password: "p", persistence: .forSession)
        manager.securityPolicy = SecurityPolicy(pinningMode: .none)
        manager.securityPolicy.allowInvalidCertificates = true
        manager.maxConcurrentOperationCount = 3
        return manager
    }

    private func expectSame(
        _ copy: HTTPRequestOperationManager?, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let here = sourceLocation
        #expect(copy?.baseURL?.absoluteString == "http://127.0.0.1:1/v1/", sourceLocation: here)
        #expect(copy?.requestSerializer is JSONRequestSerializer, sourceLocation: here)
        #expect(
            copy?.requestSerializer.value(forHTTPHeaderField: "X-A") == "1", sourceLocation: here)
        #expect(copy?.responseSerializer is PropertyListResponseSerializer, sourceLocation: here)
        #expect(
            copy?.responseSerializer.acceptableContentTypes == ["text/x"], sourceLocation: here)
        #expect(copy?.shouldUseCredentialStorage == false, sourceLocation: here)
        #expect(copy?.maxConcurrentOperationCount == 3, sourceLocation: here)
    }

    @Test func `a copy has every setting, serializers and a queue of its own`() {
        let manager = configured()
        manager.completionQueue = DispatchQueue(label: "of the test")
        manager.completionGroup = DispatchGroup()
        let copy = manager.copy() as? HTTPRequestOperationManager
        expectSame(copy)
        #expect(copy?.credential?.user == "u")
        #expect(copy?.credential?.password == "p")
        #expect(copy?.securityPolicy.allowInvalidCertificates == true)
        #expect(copy?.completionQueue === manager.completionQueue)
        #expect(copy?.completionGroup === manager.completionGroup)
        #expect(copy?.operationQueue !== manager.operationQueue)
        #expect(copy?.requestSerializer !== manager.requestSerializer)
        #expect(copy?.responseSerializer !== manager.responseSerializer)
        #expect(copy?.securityPolicy !== manager.securityPolicy)
    }

    @Test func `an archive brings every setting back but the credential and what weakens a policy`()
        throws
    {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: configured(), requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: HTTPRequestOperationManager.self, from: data)
        expectSame(copy)
        #expect(copy?.credential == nil)
        #expect(copy?.securityPolicy.allowInvalidCertificates == false)
    }

    @Test func `an archive without a base comes back without one`() throws {
        let data = try NSKeyedArchiver.archivedData(
            withRootObject: HTTPRequestOperationManager(), requiringSecureCoding: true)
        let copy = try NSKeyedUnarchiver.unarchivedObject(
            ofClass: HTTPRequestOperationManager.self, from: data)
        #expect(copy != nil && copy?.baseURL == nil)
        #expect(copy?.responseSerializer is JSONResponseSerializer)
    }

    @Test func `a subclass's init, verbs and factory are used`() async throws {
        let world = TestWorld()
        world.server.add("/v1/ping") { .text($0.headers["X-Client"] ?? "none") }
        let client = Client(baseURL: world.server.url("/v1"))
        #expect(Client().requestSerializer.value(forHTTPHeaderField: "X-Client") == "yes")
        let (end, log) = (Signal(), Log<String>())
        let base: HTTPRequestOperationManager = client
        base.get("ping") { operation, object in
            log.add("\(operation.responseString ?? "") \(operation.userInfo["made by"] ?? "")")
            end.fire()
        }
        await end.wait()
        #expect(log.all == ["yes client"])
        #expect(client.copy() is Client)
    }
}

/// A client as people write it.
private final class Client: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass and adds nothing.
    override init(baseURL: URL?) {
        super.init(baseURL: baseURL)
        responseSerializer = HTTPResponseSerializer()
        requestSerializer.setValue("yes", forHTTPHeaderField: "X-Client")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    override func httpRequestOperation(
        with request: URLRequest, success: Success?, failure: Failure?
    ) -> HTTPRequestOperation {
        let operation = super.httpRequestOperation(
            with: request, success: success, failure: failure)
        operation.userInfo = ["made by": "client"]
        return operation
    }
}
