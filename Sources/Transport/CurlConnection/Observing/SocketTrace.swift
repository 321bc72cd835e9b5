import EventRecorder
import Foundation
import HTTPSemantics

/// Records a transport's sockets: opened, connecting, in a handshake, closed.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class SocketTrace {
    private struct Socket {
        let number: UInt64
        /// The recording that has it; a later one does not.
        var recording: UInt32
        var isConnecting: Bool
        var name = EventText.none
    }

    /// A socket that a request is sent on.
    struct Use {
        var number: UInt64
        /// Address and port of the other end.
        var name: EventText
        /// Whether nothing was sent on it before.
        var isNew = false
    }

    /// By descriptor; empty while nothing was recorded.
    private var sockets: [Socket?] = []
    let exchangeTexts = ExchangeTexts()
    /// The number by which `EventRecorder` calls this at the end of a recording, and the recording for which that
    /// was requested.
    private let watcher = EventRecorder.nextNumber()
    private var watched: UInt32 = 0
    /// The errors of failed exchanges that have not ended yet, by transfer.
    var failures: [UInt64: String] = [:]

    /// The number by which to be called at this recording's end; nil where that was requested already.
    func watcherOfNewRecording() -> UInt64? {
        let recording = EventRecorder.recording
        guard recording != watched else { return nil }
        watched = recording
        return watcher
    }

    deinit { EventRecorder.unwatch(watcher) }

    /// Forgets the texts of a recording that has stopped, unless another has begun.
    func recordingStopped() {
        guard !EventRecorder.isRecording else { return }
        exchangeTexts.forget()
        failures = [:]
    }

    private subscript(descriptor: Int32) -> Socket? {
        get { sockets.indices.contains(Int(descriptor)) ? sockets[Int(descriptor)] : nil }
        set {
            let missing = Int(descriptor) + 1 - sockets.count
            if missing > 0 { sockets += [Socket?](repeating: nil, count: missing) }
            sockets[Int(descriptor)] = newValue
        }
    }

    func opened(_ descriptor: Int32) {
        guard EventRecorder.isRecording else { return }
        let socket = Socket(
            number: EventRecorder.nextNumber(), recording: EventRecorder.recording,
            isConnecting: true)
        self[descriptor] = socket
        EventRecorder.begin(.socket, subject: socket.number, value: Int64(descriptor))
        EventRecorder.begin(.connecting, subject: socket.number)
    }

    /// A request is about to be sent on a socket.
    ///
    /// - Parameter handshake: when its TLS handshake began; 0 over plain HTTP.
    func ready(_ descriptor: Int32, _ ends: ConnectionEnds, handshake: UInt64) -> Use {
        if let socket = self[descriptor], !socket.isConnecting,
            socket.recording == EventRecorder.recording
        {
            return Use(number: socket.number, name: socket.name)
        }
        return begin(descriptor, ends, handshake > 0 ? handshake : nil)
    }

    /// Records the first request on a socket in this recording.
    @inline(never)
    private func begin(_ descriptor: Int32, _ ends: ConnectionEnds, _ handshake: UInt64?) -> Use {
        guard var socket = self[descriptor], socket.recording == EventRecorder.recording else {
            // It was opened before this recording.
            let name = Self.name(of: ends)
            let socket = Socket(
                number: self[descriptor]?.number ?? EventRecorder.nextNumber(),
                recording: EventRecorder.recording, isConnecting: false, name: name)
            self[descriptor] = socket
            EventRecorder.begin(
                .socket, subject: socket.number, value: Int64(descriptor), text: name)
            return Use(number: socket.number, name: name)
        }
        let isNew = socket.isConnecting
        if isNew {
            let name = Self.name(of: ends)
            socket.isConnecting = false
            socket.name = name
            self[descriptor] = socket
            EventRecorder.note(
                .connecting, .end, subject: socket.number, text: name,
                at: handshake ?? EventRecorder.now)
            if let handshake {
                EventRecorder.note(
                    .handshake, .begin, subject: socket.number, text: name, at: handshake)
                EventRecorder.end(.handshake, subject: socket.number, text: name)
            }
        }
        return Use(number: socket.number, name: socket.name, isNew: isNew)
    }

    private static func name(of ends: ConnectionEnds) -> EventText {
        EventText(recorded: "\(ends.remoteAddress):\(ends.remotePort)")
    }

    func closed(_ descriptor: Int32) {
        guard let socket = self[descriptor] else { return }
        self[descriptor] = nil
        guard socket.recording == EventRecorder.recording else { return }
        if socket.isConnecting {
            EventRecorder.end(.connecting, subject: socket.number)
        }
        EventRecorder.end(.socket, subject: socket.number, text: socket.name)
    }
}

/// Records the header fields and errors of exchanges where they differ from those of the exchange before.
///
/// A class, because a value inside another object would be checked for exclusive access at each change.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class ExchangeTexts {
    /// The recording that has the texts.
    private(set) var recording: UInt32 = 0
    /// Their number in that recording.
    private var number: UInt32 = 0
    private var head = ResponseHead(version: "", statusCode: 0)
    private var fieldsNumber: UInt32 = 0
    private var failure = ""
    /// The fields of the last request, and how often they have changed.
    private var lastFields: (fields: HeaderFields, number: UInt32) = ([:], 0)

    /// A number for a request's fields: the last request's where they are the same.
    func number(of fields: HeaderFields) -> UInt32 {
        if fields != lastFields.fields {
            lastFields = (fields, lastFields.number &+ 1)
        }
        return lastFields.number
    }

    /// Records the texts of an exchange.
    ///
    /// - Parameters:
    ///   - fields: the request's.
    ///   - fieldsNumber: of `number(of:)`.
    ///   - failure: an error's text; empty without one.
    /// - Returns: their number in the recording; 0 where that is full.
    func keep(
        _ head: ResponseHead, _ fields: HeaderFields, _ fieldsNumber: UInt32,
        _ failure: String
    ) -> UInt32 {
        // Read first: a recording that begins meanwhile does not have these texts.
        let current = EventRecorder.recording
        if recording == current, fieldsNumber == self.fieldsNumber, head == self.head,
            failure == self.failure
        {
            return number
        }
        keepAnew(head, fields, fieldsNumber, failure, of: current)
        return number
    }

    /// Forgets the texts, so that the next ones are recorded.
    func forget() {
        (head, failure) = (ResponseHead(version: "", statusCode: 0), "")
        (recording, number, fieldsNumber) = (0, 0, 0)
        lastFields = ([:], lastFields.number &+ 1)
    }

    @inline(never)
    private func keepAnew(
        _ head: ResponseHead, _ fields: HeaderFields, _ fieldsNumber: UInt32,
        _ failure: String, of recording: UInt32
    ) {
        // Without a recording, none will end and call `forget`.
        if recording == 0 { return forget() }
        (self.head, self.fieldsNumber, self.failure) = (head, fieldsNumber, failure)
        self.recording = recording
        let size =
            head.fields.byteCount + fields.byteCount + failure.utf8.count + Self.overhead
        number = EventRecorder.keepTexts(size: size) {
            ExchangeRecord(
                url: "", method: "", requestHeaders: fields.map { ($0.name, $0.value) },
                httpVersion: head.version,
                responseHeaders: head.fields.map { ($0.name, $0.value) },
                mimeType: head.value(of: "Content-Type") ?? "", startDate: .distantPast,
                error: failure.isEmpty ? nil : failure)
        }
    }

    /// The memory of a head and fields besides their bytes.
    private static let overhead = 256
}
