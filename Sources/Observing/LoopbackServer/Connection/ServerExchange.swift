/// One request on a connection, and how far its response was sent.
struct ServerExchange {
    var request: RecordedRequest
    /// The request's index in the log of requests that `Journal` keeps.
    let logIndex: Int
    let keepsAlive: Bool
    var wantsContinue: Bool
    var body: BodyReader
    var route: Routes.Route?

    var steps: [ScriptedResponse.Step] = []
    var index = 0
    /// Bytes that the current step has sent, or read slowly.
    var done: Int64 = 0
    /// When the current step began, in nanoseconds, if it sleeps, sends at a pace or reads slowly; 0 once it waits at a
    /// gate; nil for any other step.
    var startedAt: UInt64?

    init(head: RequestHead, request: RecordedRequest, logIndex: Int) {
        self.request = request
        self.logIndex = logIndex
        keepsAlive = head.keepsAlive
        wantsContinue = head.wantsContinue
        body = BodyReader(head.framing)
    }

    mutating func advance() {
        index += 1
        done = 0
        startedAt = nil
    }

    /// Records the body, once all of it was received: its first bytes (`RecordedRequest.keptBodyLimit`), length, hash
    /// and trailers.
    mutating func recordBody() {
        request.body = body.received.prefix
        request.bodyLength = body.received.length
        request.bodyHash = body.received.hash.value
        request.trailers = body.received.trailers
        request.bodyIsComplete = true
    }
}
