import Locking

/// One accepted connection: reads requests and sends their responses, one after the other.
///
/// A client that closes its sending side while the response is sent counts as disconnected.
///
/// ## Concurrency
/// Used on the loop's thread alone. Calls the journal, which locks, and routes' closures.
final class Connection {
    enum Phase {
        case handshake
        case head
        case body
        case responding
        /// The response or an error was sent, and bytes of the request were not read; or the
        /// close_notify alert could not be sent yet. The connection waits for the peer to close: after
        /// a close with unread bytes the kernel would send a reset, and the peer could lose the response.
        case lingering
        case closed
    }

    enum Ending {
        case fin
        /// FIN, over TLS without a close_notify alert.
        case cut
        case reset
        /// As `cut`, because the peer disconnected before the response was complete, or the server stops.
        case abandoned
    }

    static let readAheadLimit = 262_144

    let descriptor: Int32
    let number: Int
    let context: LoopContext
    /// Nil over plain HTTP.
    let tls: TLSSession?

    var phase = Phase.head
    var exchange: ServerExchange?
    var input = InputBuffer()
    /// When the loop must call `resume`; nanoseconds of the monotonic clock.
    var deadline = UInt64.max
    var awaitsWritable = false
    var readsBody = false
    private var sequence = 0
    var trace = ConnectionTrace()

    var journal: Journal { context.journal }

    init(_ descriptor: Int32, number: Int, context: LoopContext) {
        self.descriptor = descriptor
        self.number = number
        self.context = context
        tls = context.tls.map { TLSSession($0, descriptor: descriptor) }
        if tls != nil { phase = .handshake }
        journal.connectionOpened()
        trace.opened(descriptor)
    }

    var waitsAtGate: Bool {
        guard phase == .responding, let exchange, exchange.index < exchange.steps.count,
            case .wait = exchange.steps[exchange.index]
        else { return false }
        return true
    }

    var interest: Int16 {
        switch phase {
        case .handshake:
            return tls?.wantsWrite == true ? Sockets.writable : Sockets.readable
        case .head, .body:
            return Sockets.readable
        case .lingering:
            return Sockets.readable | (awaitsWritable ? Sockets.writable : 0)
        case .responding:
            let bodyIsRead = exchange?.body.isComplete ?? true
            let reads = bodyIsRead ? input.count < Connection.readAheadLimit : readsBody
            return Sockets.hungUp | (reads ? Sockets.readable : 0)
                | (awaitsWritable ? Sockets.writable : 0)
        case .closed:
            return 0
        }
    }

    // MARK: Events

    func ready(_ events: Int16) {
        if phase == .responding, events & (Sockets.lost | Sockets.hungUp) != 0 {
            end(.abandoned)
        } else if phase == .handshake {
            continueHandshake()
        } else if events & (Sockets.readable | Sockets.lost | Sockets.hungUp) != 0 {
            receive()
        } else if events & Sockets.writable != 0 {
            if phase == .lingering { endSending() } else { drive() }
        }
    }

    /// Handles an expired deadline, or a gate that may be open now.
    func resume() {
        if phase == .lingering {
            end(.fin)
        } else {
            deadline = .max
            drive()
        }
    }

    private func receive() {
        switch receive(context.scratch) {
        case .blocked:
            return
        case .ended:
            end(exchange == nil ? .fin : .abandoned)
        case .moved(let count):
            journal.moved(received: count)
            if phase == .lingering { return }
            input.append(UnsafeRawBufferPointer(rebasing: context.scratch[..<count]))
            drive()
        }
    }

    /// Continues until it must wait for input, a writable socket, a time, or a gate.
    private func drive() {
        var continues = true
        while continues {
            do throws(Malformed) {
                switch phase {
                case .head: continues = try takeHead() || takePending()
                case .body: continues = try takeBody()
                case .responding: continues = try runSteps()
                case .handshake, .lingering, .closed: continues = false
                }
            } catch {
                refuse(error)
            }
        }
    }

    // MARK: Reading

    private func takeHead() throws(Malformed) -> Bool {
        guard let head = try input.takeHead() else { return false }
        sequence += 1
        let request = RecordedRequest(
            head: head, connection: number, sequence: sequence, isSecure: tls != nil)
        trace.requestBegan(request)
        var next = ServerExchange(head: head, request: request, logIndex: journal.began(request))
        next.route = context.state.routes.withLock { $0.find(request.path) }
        exchange = next
        if next.route?.beforeBody == true, !next.body.isComplete {
            respond()
        } else {
            phase = .body
            sendContinueIfWanted()
        }
        return true
    }

    func sendContinueIfWanted() {
        guard exchange?.wantsContinue == true, input.count == 0 else { return }
        exchange?.wantsContinue = false
        let bytes = Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)
        if case .moved(let count) = bytes.withUnsafeBytes({ send($0) }) {
            journal.moved(sent: count)
        }
    }

    private func takeBody() throws(Malformed) -> Bool {
        guard try readBody() else { return false }
        respond()
        return true
    }

    /// Passes received bytes to the body; true when the body is complete.
    func readBody() throws(Malformed) -> Bool {
        guard var current = exchange else { return true }
        exchange = nil
        defer { exchange = current }
        try input.read(into: &current.body)
        guard current.body.isComplete else { return false }
        if !current.request.bodyIsComplete {
            current.recordBody()
            journal.update(current.logIndex, current.request)
        }
        return true
    }

    private func respond() {
        guard let current = exchange else { return }
        let response =
            current.route?.respond(current.request, context.state)
            ?? .text("not found", status: 404)
        exchange?.steps =
            current.request.method == "HEAD" ? response.withoutBody().steps : response.steps
        let observer = context.state.observer.withLock(\.self)
        observer?(current.request, response.finalStatus)
        phase = .responding
    }
}

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

/// What the connections of one loop share.
///
/// ## Concurrency
/// Used on the loop's thread alone.
final class LoopContext {
    let state: ServerState
    /// Nil when the server speaks plain HTTP.
    let tls: TLSContext?
    let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 131_072, alignment: 16)
    var journal: Journal { state.journal }

    init(_ state: ServerState, tls: TLSContext?) {
        self.state = state
        self.tls = tls
    }

    deinit {
        scratch.deallocate()
    }
}
