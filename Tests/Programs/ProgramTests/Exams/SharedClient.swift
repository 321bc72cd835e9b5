import Foundation
import FoundationNetworking
import OperationNetworking

/// A client as applications had it: one instance, serializers and headers set in its `init`.
final class SharedClient: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass; it has no variables of its own.
    static let shared = SharedClient(baseURL: URL(string: "http://127.0.0.1:9/api"))

    override init(baseURL: URL?) {
        super.init(baseURL: baseURL)
        requestSerializer = JSONRequestSerializer()
        requestSerializer.setValue("exam", forHTTPHeaderField: "X-Client")
    }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
    }

    /// Adds the key of this client to every GET.
    @discardableResult
    override func get(
        _ urlString: String, parameters: Any? = nil, success: Success? = nil,
        failure: Failure? = nil
    ) -> HTTPRequestOperation? {
        var all = parameters as? [String: Any] ?? [:]
        all["key"] = "k"
        return super.get(urlString, parameters: all, success: success, failure: failure)
    }

    /// The names of the arguments, sorted.
    func names(
        _ success: @escaping Success, _ failure: @escaping Failure,
        _ then: @escaping @Sendable ([String]) -> Void
    ) -> HTTPRequestOperation? {
        get(
            "get", parameters: ["name": "n"],
            success: { operation, object in
                let arguments = (object as? [String: Any])?["args"] as? [String: Any] ?? [:]
                then(arguments.keys.sorted())
                success(operation, object)
            }, failure: failure)
    }
}

/// The shortest client: the compiler asks to restate the superclass's conformance, and no more.
final class ShortestClient: HTTPRequestOperationManager, @unchecked Sendable {
    // @unchecked because it restates the superclass; it has no variables of its own.
    static let shared = ShortestClient()
}
