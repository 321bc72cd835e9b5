import TestSupport

/// A `URLProtocol` as tests of programs have them: it loads what a test says, by the request's path.
class ScriptedProtocol: URLProtocol {
    /// What a test says of a path.
    struct Script: Sendable {
        var isTaken = true
        var start: @Sendable (ScriptedProtocol) -> Void = { _ in }
        var stop: @Sendable (ScriptedProtocol) -> Void = { _ in }
    }

    private static let scripts = Locked<[String: Script]>([:])

    /// Who was asked about which path, in order.
    static let asked = Locked<[String]>([])

    static func add(_ path: String, _ script: Script) {
        scripts.withLock { $0[path] = script }
    }

    private static func script(for request: URLRequest) -> Script? {
        scripts.withLock { $0[request.url?.path ?? ""] }
    }

    override class func canInit(with request: URLRequest) -> Bool {
        asked.withLock { $0.append("\(self) \(request.url?.path ?? "")") }
        return script(for: request)?.isTaken == true
    }

    override class func canonicalRequest(for request: URLRequest) -> URLRequest {
        var request = request
        request.setValue("yes", forHTTPHeaderField: "X-Canonical")
        return request
    }

    override func startLoading() { Self.script(for: request)?.start(self) }

    override func stopLoading() { Self.script(for: request)?.stop(self) }

    // MARK: What a script does

    func respond(_ status: Int = 200, _ fields: [String: String] = [:]) {
        guard let url = request.url,
            let response = HTTPURLResponse(
                url: url, statusCode: status, httpVersion: "HTTP/1.1", headerFields: fields)
        else { return }
        client?.urlProtocol(self, didReceive: response, cacheStoragePolicy: .notAllowed)
    }

    func load(_ text: String) { client?.urlProtocol(self, didLoad: Data(text.utf8)) }

    func finish() { client?.urlProtocolDidFinishLoading(self) }

    func fail(_ error: any Error) { client?.urlProtocol(self, didFailWithError: error) }

    func redirect(to url: String, _ status: Int = 302) {
        guard let own = request.url, let target = URL(string: url),
            let response = HTTPURLResponse(
                url: own, statusCode: status, httpVersion: "HTTP/1.1",
                headerFields: ["Location": url])
        else { return }
        client?.urlProtocol(
            self, wasRedirectedTo: URLRequest(url: target), redirectResponse: response)
    }
}

/// A second class beside the first.
final class OtherScriptedProtocol: ScriptedProtocol {
    override class func canInit(with request: URLRequest) -> Bool {
        asked.withLock { $0.append("\(self) \(request.url?.path ?? "")") }
        return request.url?.path.hasSuffix("/other") == true
    }

    override func startLoading() {
        respond(203)
        finish()
    }

    override func stopLoading() {}
}
