/// The paths of a server, with a sentence on each.
///
/// A value; `LoopbackServer.add` changes the server's own copy.
public struct Routes: Sendable {
    /// One path and what responds to it.
    struct Route: Sendable {
        /// The path as the index shows it, for example `/status/N`.
        let shown: String
        let sentence: String
        let isPrefix: Bool
        let beforeBody: Bool
        let respond: @Sendable (RecordedRequest, ServerState) -> ScriptedResponse
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

    /// Adds a route that uses the server's state; the index shows `shown` in place of a prefix.
    mutating func add(
        _ path: String, shown: String? = nil, _ sentence: String, isPrefix: Bool = false,
        beforeBody: Bool = false,
        _ respond: @escaping @Sendable (RecordedRequest, ServerState) -> ScriptedResponse
    ) {
        let shown = shown ?? path
        let route = Route(
            shown: shown, sentence: sentence, isPrefix: isPrefix, beforeBody: beforeBody,
            respond: respond)
        let replaced = isPrefix ? prefixes.first { $0.prefix == path }?.route : exact[path]
        if let old = replaced?.shown, old != shown, let place = order.firstIndex(of: old) {
            sentences[old] = nil
            if sentences[shown] == nil { order[place] = shown } else { order.remove(at: place) }
        } else if sentences[shown] == nil {
            order.append(shown)
        }
        sentences[shown] = sentence
        guard isPrefix else {
            exact[path] = route
            return
        }
        prefixes.removeAll { $0.prefix == path }
        prefixes.append((path, route))
        prefixes.sort { $0.prefix.count > $1.prefix.count }
    }

    /// The route of a path.
    func find(_ path: String) -> Route? {
        exact[path] ?? prefixes.first { path.hasPrefix($0.prefix) }?.route
    }
}
