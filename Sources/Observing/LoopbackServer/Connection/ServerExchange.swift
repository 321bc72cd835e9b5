/// One request on a connection and the progress of its response.
struct ServerExchange {
    var request: RecordedRequest
    /// The request's index in the journal's log.
    let place: Int
    let keepsAlive: Bool
    var wantsContinue: Bool
    var body: BodyReader
    var route: Routes.Route?

    var steps: [ScriptedResponse.Step] = []
    var index = 0
    /// Bytes of the present step that were sent or read.
    var done: Int64 = 0
    /// When the present step began, in nanoseconds; nil before it first ran.
    var startedAt: UInt64?

    init(head: RequestHead, request: RecordedRequest, place: Int) {
        self.request = request
        self.place = place
        keepsAlive = head.keepsAlive
        wantsContinue = head.wantsContinue
        body = BodyReader(head.framing)
    }

    mutating func advance() {
        index += 1
        done = 0
        startedAt = nil
    }

    /// Copies the complete body into the request.
    mutating func noteBody() {
        request.body = body.received.prefix
        request.bodyLength = body.received.length
        request.bodyHash = body.received.hash.value
        request.trailers = body.received.trailers
        request.bodyIsComplete = true
    }
}
