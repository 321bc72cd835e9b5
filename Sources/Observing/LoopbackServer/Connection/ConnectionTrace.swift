import EventRecorder

/// Records one connection of the server.
///
/// ## Concurrency
/// Call from: the loop's thread. Lock: none.
struct ConnectionTrace {
    private let number = EventRecorder.nextNumber()
    private var descriptor: Int32 = -1
    /// The recording that has the connection's begin event; a later recording needs another.
    private var recording: UInt32?
    private var exchange: EventText?

    mutating func opened(_ descriptor: Int32) {
        self.descriptor = descriptor
        beginIfNew()
    }

    private mutating func beginIfNew() {
        guard EventRecorder.isRecording, recording != EventRecorder.recording else { return }
        recording = EventRecorder.recording
        EventRecorder.begin(.serverConnection, subject: number, value: Int64(descriptor))
    }

    mutating func closed() {
        guard recording == EventRecorder.recording else { return }
        EventRecorder.end(.serverConnection, subject: number)
    }

    mutating func requestBegan(_ request: RecordedRequest) {
        guard EventRecorder.isRecording else { return }
        beginIfNew()
        let name = EventText(recorded: "\(request.method) \(request.path)")
        exchange = name
        EventRecorder.begin(.serverExchange, subject: number, text: name)
    }

    /// - Parameter steps: the response's; its first bytes begin with a status line.
    mutating func responseEnded(_ steps: [ScriptedResponse.Step]) {
        guard let name = exchange else { return }
        exchange = nil
        EventRecorder.end(
            .serverExchange, subject: number, value: Self.status(in: steps), text: name)
    }

    static func status(in steps: [ScriptedResponse.Step]) -> Int64 {
        for case .bytes(let data) in steps {
            let line = String(decoding: data.prefix(12), as: UTF8.self)
            return line.hasPrefix("HTTP/1.") ? Int64(line.suffix(3)) ?? 0 : 0
        }
        return 0
    }
}
