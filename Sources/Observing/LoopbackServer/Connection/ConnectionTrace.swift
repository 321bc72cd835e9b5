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

    mutating func responseEnded(_ steps: [ScriptedResponse.Step]) {
        guard let name = exchange else { return }
        exchange = nil
        EventRecorder.end(
            .serverExchange, subject: number, value: Int64(ScriptedResponse(steps).finalStatus),
            text: name)
    }
}
