import SessionTasks
import TestSupport

@testable import RequestEra

/// A manager, which ends with the world.
extension TestWorld {
    static func requests(
        routes: Routes = .served, _ change: (URLSessionConfiguration) -> Void = { _ in }
    ) -> TestWorld {
        let world = TestWorld(routes: routes)
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        _ = world.own("manager") { SessionManager(configuration: configuration) }
        return world
    }

    var manager: SessionManager { own("manager") { .init(configuration: .ephemeral) } }
    var delegate: SessionDelegate { manager.delegate }

    func get(_ path: String, headers: HTTPHeaders? = nil) -> DataRequest {
        manager.request(address(path), headers: headers)
    }
}

/// What a handler was given; it is made once and then only read.
struct Given<Value>: @unchecked Sendable {
    // @unchecked because nobody changes it.
    let value: Value
}

extension DataRequest {
    func ended() async -> DefaultDataResponse {
        await outcome { response(completionHandler: $0) }
    }

    func data() async -> DataResponse<Data> {
        await outcome { responseData(completionHandler: $0) }
    }

    func string() async -> DataResponse<String> {
        await outcome { responseString(completionHandler: $0) }
    }

    func json() async -> DataResponse<Any> {
        await outcome { done in responseJSON { done(Given(value: $0)) } }.value
    }

    /// The JSON object of a body; empty where it is none.
    func object() async -> [String: Any] { await json().value as? [String: Any] ?? [:] }
}

extension DownloadRequest {
    func ended() async -> DefaultDownloadResponse {
        await outcome { response(completionHandler: $0) }
    }

    func json() async -> DownloadResponse<Any> {
        await outcome { done in responseJSON { done(Given(value: $0)) } }.value
    }
}

extension Error {
    var code: Int { (self as NSError).code }
}

/// A retrier made of a closure.
struct Retrier: RequestRetrier {
    let answer: @Sendable (Request, any Error, @escaping RequestRetryCompletion) -> Void

    init(
        _ answer: @escaping @Sendable (Request, any Error, @escaping RequestRetryCompletion) -> Void
    ) {
        self.answer = answer
    }

    /// Yes while the request was retried less often than so many times.
    static func upTo(_ count: UInt, after delay: TimeInterval = 0) -> Retrier {
        Retrier { request, _, completion in completion(request.retryCount < count, delay) }
    }

    func should(
        _ manager: SessionManager, retry request: Request, with error: any Error,
        completion: @escaping RequestRetryCompletion
    ) {
        answer(request, error, completion)
    }
}

/// An adapter made of a closure.
struct Adapter: RequestAdapter {
    let change: @Sendable (URLRequest) throws -> URLRequest

    init(_ change: @escaping @Sendable (URLRequest) throws -> URLRequest) {
        self.change = change
    }

    func adapt(_ urlRequest: URLRequest) throws -> URLRequest { try change(urlRequest) }
}
