import CurlConnection
import TestSupport

@testable import OperationNetworking

/// Requests of a manager: their making, their operations, and who hears of them (MG-1 to MG-6).
@Suite("An HTTP manager", .timeLimit(.minutes(5)))
struct HTTPManagerTests {
    private let world = TestWorld()
    private let manager: HTTPRequestOperationManager
    private let end = Signal()
    private let log = Log<String>()

    init() {
        manager = HTTPRequestOperationManager(baseURL: world.server.url("/"))
        world.server.add("/echo") { request in
            let type = request.headers["Content-Type"] ?? "none"
            let body = String(decoding: request.body, as: UTF8.self)
            return .json(encoding: [request.method, request.target, type, body])
        }
    }

    private var success: HTTPRequestOperationManager.Success {
        { [log, end] operation, object in
            let words = object as? [String] ?? ["nothing"]
            log.add(words.joined(separator: " ") + " on main: \(MainQueue.isCurrent)")
            end.fire()
        }
    }

    private var failure: HTTPRequestOperationManager.Failure {
        { [log, end] operation, error in
            let error = error as NSError
            log.add("\(operation == nil ? "no" : "an") operation, \(error.domain) \(error.code)")
            end.fire()
        }
    }

    @Test(arguments: ["GET", "POST", "PUT", "PATCH", "DELETE"])
    func `each verb sends its method and puts the parameters where they belong`(verb: String) async
    {
        let parameters = ["b": "2", "a": "1"]
        let operation =
            switch verb {
            case "GET":
                manager.get("echo", parameters: parameters, success: success, failure: failure)
            case "POST":
                manager.post("echo", parameters: parameters, success: success, failure: failure)
            case "PUT":
                manager.put("echo", parameters: parameters, success: success, failure: failure)
            case "PATCH":
                manager.patch("echo", parameters: parameters, success: success, failure: failure)
            default:
                manager.delete("echo", parameters: parameters, success: success, failure: failure)
            }
        #expect(operation != nil)
        await end.wait()
        let isInURL = ["GET", "DELETE"].contains(verb)
        let place =
            isInURL ? "/echo?a=1&b=2 none " : "/echo application/x-www-form-urlencoded a=1&b=2"
        #expect(log.all == ["\(verb) \(place) on main: true"])
    }

    @Test func `HEAD gives its success the operation alone`() async {
        let (end, log) = (end, log)
        manager.head(
            "echo", parameters: ["a": 1],
            success: { operation in
                let status = operation.response?.statusCode ?? 0
                log.add("\(status) \(operation.responseObject == nil)")
                end.fire()
            }, failure: failure)
        await end.wait()
        #expect(log.all == ["200 true"])
        #expect(world.server.requests.last?.target == "/echo?a=1")
    }

    @Test func `the operation is in the queue at once and has the manager's settings`() async {
        let path = world.gate("settings")
        let queue = DispatchQueue(label: "of the test")
        manager.credential = URLCredential(user: "u", password: "p", persistence: .none)
        manager.shouldUseCredentialStorage = false
        manager.completionQueue = queue
        manager.responseSerializer = HTTPResponseSerializer()
        let operation = manager.get(path, success: success, failure: failure)
        #expect(manager.operationQueue.operations == [operation].compactMap { $0 })
        #expect(operation?.credential == manager.credential)
        #expect(operation?.shouldUseCredentialStorage == false)
        #expect(operation?.securityPolicy === manager.securityPolicy)
        #expect(operation?.completionQueue === queue)
        #expect(operation?.responseSerializer === manager.responseSerializer)
        world.server.release("settings")
        await end.wait()
        #expect(log.all == ["nothing on main: false"])
    }

    @Test(arguments: ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "form"])
    func `what cannot be sent is one failure, and nothing is queued`(verb: String) async {
        let bad = ["date": Date()]
        let (success, failure) = (success, failure)
        manager.requestSerializer = JSONRequestSerializer()
        manager.requestSerializer.httpMethodsEncodingParametersInURI = []
        manager.isSuspended = true
        let queue = DispatchQueue(label: "of the test")
        queue.suspend()
        manager.completionQueue = queue
        let operation =
            switch verb {
            case "GET": manager.get("x", parameters: bad, success: success, failure: failure)
            case "HEAD":
                manager.head("x", parameters: bad, success: { _ in }, failure: failure)
            case "POST": manager.post("x", parameters: bad, success: success, failure: failure)
            case "PUT": manager.put("x", parameters: bad, success: success, failure: failure)
            case "PATCH": manager.patch("x", parameters: bad, success: success, failure: failure)
            case "DELETE":
                manager.delete("x", parameters: bad, success: success, failure: failure)
            default:
                manager.post(
                    "http://a b/", parameters: nil, constructingBody: { _ in }, success: success,
                    failure: failure)
            }
        #expect(operation == nil)
        #expect(log.all.isEmpty)
        queue.resume()
        await end.wait()
        queue.sync {}
        #expect(log.all.count == 1 && log.all[0].hasPrefix("no operation"))
        #expect(manager.operationQueue.operationCount == 0)
    }

    @Test(arguments: ["a b", "é", "%zz", "%", "a\u{0}b", "a\"b", "http://[", "http://a b/"])
    func `a path that is no URL is a failure`(path: String) async {
        #expect(manager.get(path, success: success, failure: failure) == nil)
        await end.wait()
        #expect(log.all == ["no operation, com.alamofire.error.serialization.request -1000"])
    }

    @Test func `a form is posted with its parameters and parts`() async {
        world.server.add("/form") { request in
            let text = String(decoding: request.body, as: UTF8.self)
            let lines = text.components(separatedBy: "\r\n").filter { !$0.contains("Boundary+") }
            return .json(encoding: lines)
        }
        manager.post(
            "form", parameters: ["k": "v"],
            constructingBody: { form in
                form.appendPart(
                    fileData: Data("bytes".utf8), name: "f", fileName: "a.txt",
                    mimeType: "text/plain")
            }, success: success, failure: failure)
        await end.wait()
        let text = log.all.first ?? ""
        #expect(text.contains(#"form-data; name="k"  v"#), "\(text)")
        #expect(text.contains(#"name="f"; filename="a.txt" Content-Type: text/plain  bytes"#))
    }

    @Test func `a manager that is dropped at once has its request answered`() async {
        do {
            let manager = HTTPRequestOperationManager(baseURL: world.server.url("/"))
            manager.get("echo", success: success, failure: failure)
        }
        await end.wait()
        #expect(log.all == ["GET /echo none  on main: true"])
    }

    @Test func `managers with one queue share its limit`() {
        let other = HTTPRequestOperationManager()
        other.operationQueue = manager.operationQueue
        manager.maxConcurrentOperationCount = 2
        #expect(other.maxConcurrentOperationCount == 2)
    }

    @Test(arguments: [nil, "http://h.test/v1/"])
    func `escapes of a path stay as they are, with a base and without`(base: String?) throws {
        let base = base.flatMap { URL(string: $0) }
        let whole = "http://h.test/v1/items?filter[name]=a%20b"
        let expected = "http://h.test/v1/items?filter%5Bname%5D=a%20b"
        for path in [whole] + (base == nil ? [] : ["items?filter[name]=a%20b"]) {
            let resolved = try RequestPath.resolve(path, against: base)
            let request = try HTTPRequestSerializer().request(
                method: "GET", urlString: resolved, parameters: nil)
            #expect(request.url?.absoluteString == expected, "\(path)")
        }
    }

    @Test func `its description names the class, the base and the queue`() {
        #expect(manager.description.hasPrefix("<HTTPRequestOperationManager: 0x"))
        #expect(manager.description.contains("baseURL: \(world.server.url("/"))"))
    }
}
