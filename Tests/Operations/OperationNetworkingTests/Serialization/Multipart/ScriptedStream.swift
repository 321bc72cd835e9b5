import Foundation

/// A caller's stream that follows a script, one entry a question.
///
/// ## Concurrency
/// Call from: one thread. Lock: none. Calls out: nowhere.
final class ScriptedStream: InputStream {
    enum Step {
        case bytes(Data)
        /// No bytes now; the next question gets the next step.
        case dry
        case failure(any Error)
    }

    private var steps: [Step]
    private var status = Stream.Status.notOpen
    private var failure: (any Error)?
    private(set) var waits = 0
    private(set) var closes = 0

    init(_ steps: [Step]) {
        self.steps = steps
        super.init(data: Data())
    }

    override func open() { status = .open }

    override func close() {
        status = .closed
        closes += 1
    }

    override var streamStatus: Stream.Status { status }
    override var streamError: (any Error)? { failure }

    override var hasBytesAvailable: Bool {
        guard case .dry = steps.first else { return true }
        steps.removeFirst()
        return false
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength len: Int) -> Int {
        while case .dry = steps.first {
            steps.removeFirst()
            waits += 1
        }
        switch steps.first {
        case .bytes(let bytes):
            let count = min(len, bytes.count)
            bytes.copyBytes(to: buffer, count: count)
            steps[0] = .bytes(Data(bytes.dropFirst(count)))
            if count == bytes.count { steps.removeFirst() }
            return count
        case .failure(let error):
            failure = error
            status = .error
            return -1
        case .dry, nil:
            status = .atEnd
            return 0
        }
    }

    override func property(forKey key: Stream.PropertyKey) -> AnyObject? { nil }

    override func setProperty(_ property: AnyObject?, forKey key: Stream.PropertyKey) -> Bool {
        false
    }
}
