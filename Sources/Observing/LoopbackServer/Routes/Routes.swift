import Foundation

/// The paths of a server, with a sentence on each.
///
/// A value; `LoopbackServer.add` changes the server's own copy.
public struct Routes: Sendable {
    struct Route: Sendable {
        /// The path as the index shows it, for example `/status/N`.
        let listed: String
        let sentence: String
        let isPrefix: Bool
        let beforeBody: Bool
        let respond: @Sendable (RecordedRequest, ServerState) -> ScriptedResponse

        fileprivate func answeringOptions() -> Route {
            // It responds to OPTIONS as to every other method.
            if listed == "/anything" { return self }
            let own = ["POST", "PUT", "PATCH", "DELETE"].first { listed == "/" + $0.lowercased() }
            let methods = (own ?? "GET, HEAD") + ", OPTIONS"
            return Route(
                listed: listed, sentence: sentence, isPrefix: isPrefix, beforeBody: beforeBody
            ) { request, state in
                guard request.method == "OPTIONS" else { return respond(request, state) }
                return .data(
                    Data(),
                    headers: [
                        ("Allow", methods), ("Access-Control-Allow-Origin", "*"),
                        ("Access-Control-Allow-Methods", methods),
                        ("Access-Control-Allow-Headers", "*"),
                    ])
            }
        }
    }

    private var exact: [String: Route] = [:]
    private var prefixes: [(prefix: String, route: Route)] = []
    private var order: [String] = []
    private var sentences: [String: String] = [:]

    /// No routes; the response to every path is 404.
    public init() {}

    /// The paths and sentences of these routes, in the order in which they were added.
    public var catalogue: [(path: String, sentence: String)] {
        order.map { ($0, sentences[$0] ?? "") }
    }

    /// Adds a route, in place of an earlier one of the same path.
    ///
    /// With `isPrefix` every path that begins with `path` matches, the longest prefix first, and
    /// exact paths go before prefixes. With `beforeBody` the response begins when the head is
    /// complete; the body is read by a `readBody` step or not at all.
    public mutating func add(
        _ path: String, _ sentence: String = "", isPrefix: Bool = false, beforeBody: Bool = false,
        _ respond: @escaping @Sendable (RecordedRequest) -> ScriptedResponse
    ) {
        add(path, sentence, isPrefix: isPrefix, beforeBody: beforeBody) { request, _ in
            respond(request)
        }
    }

    /// Adds a route that uses the server's state; the index shows `listed` in place of the path.
    mutating func add(
        _ path: String, listed: String? = nil, _ sentence: String, isPrefix: Bool = false,
        beforeBody: Bool = false,
        _ respond: @escaping @Sendable (RecordedRequest, ServerState) -> ScriptedResponse
    ) {
        let listed = listed ?? path
        let route = Route(
            listed: listed, sentence: sentence, isPrefix: isPrefix, beforeBody: beforeBody,
            respond: respond)
        let replaced = isPrefix ? prefixes.first { $0.prefix == path }?.route : exact[path]
        if let old = replaced?.listed, old != listed, let place = order.firstIndex(of: old) {
            sentences[old] = nil
            if sentences[listed] == nil { order[place] = listed } else { order.remove(at: place) }
        } else if sentences[listed] == nil {
            order.append(listed)
        }
        sentences[listed] = sentence
        guard isPrefix else {
            exact[path] = route
            return
        }
        prefixes.removeAll { $0.prefix == path }
        prefixes.append((path, route))
        prefixes.sort { $0.prefix.count > $1.prefix.count }
    }

    /// Adds a route for every path that begins with `prefix`. Its closure gets what follows that, which the index
    /// shows as `rest`.
    mutating func add(
        _ prefix: String, rest: String, _ sentence: String,
        _ respond: @escaping @Sendable (String, RecordedRequest, ServerState) -> ScriptedResponse
    ) {
        add(prefix, listed: prefix + rest, sentence, isPrefix: true) { request, state in
            respond(String(request.path.dropFirst(prefix.count)), request, state)
        }
    }

    /// Makes the response to OPTIONS the methods of the path, on the routes that there are so far.
    mutating func answerOptions() {
        exact = exact.mapValues { $0.answeringOptions() }
        prefixes = prefixes.map { ($0.prefix, $0.route.answeringOptions()) }
    }

    func find(_ path: String) -> Route? {
        exact[path] ?? prefixes.first { path.hasPrefix($0.prefix) }?.route
    }
}
