import CMeasure
import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

/// Tasks that wait for operations nobody answers: from each task's cancel to the end of its connection, as
/// the peer sees it, which is in this process, so that there is one clock.
enum ClosingSockets {
    static func run(_ assignment: Assignment, into outcome: inout Outcome) {
        outcome.requests = assignment.count
        outcome.failures = assignment.count
        guard let peer = SilentPeer() else { return }
        let manager = OperationManager()
        manager.maxConcurrentOperationCount = assignment.count
        var tasks: [Task<Void, any Error>] = []
        // One after another, so that the peer's connections come in the order of the tasks.
        for number in 0..<assignment.count {
            let operation = URLConnectionOperation(request: URLRequest(url: peer.url))
            operation.configuration.httpMaximumConnectionsPerHost = assignment.count
            operation.configuration.maximumConnections = assignment.count
            manager.enqueue(operation)
            tasks.append(Task { _ = try await operation.result() as Data? })
            guard peer.acceptHead() else {
                return Complaint.once("connection \(number) did not come")
            }
        }
        let watch = Stopwatch()
        var times: [Double] = []
        for (number, task) in tasks.enumerated() {
            let begin = measure_now()
            task.cancel()
            guard peer.seesEnd(of: number) else { continue }
            times.append(Double(measure_now() - begin) / 1e9)
        }
        watch.stop(into: &outcome)
        outcome.failures -= times.count
        guard !times.isEmpty else { return }
        times.sort()
        outcome.closed99 = times[times.count * 99 / 100]
        outcome.closedWorst = times.last
    }
}

/// Accepts connections on loopback and never answers.
private final class SilentPeer {
    let url: URL
    private let listener: Int32
    private var sockets: [Int32] = []

    init?() {
        let listener = socket(
            AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(listener, $0, length) == 0 && listen(listener, 4096) == 0
                    && getsockname(listener, $0, &length) == 0
            }
        }
        let port = UInt16(bigEndian: address.sin_port)
        guard isListening, let url = URL(string: "http://127.0.0.1:\(port)/never") else {
            return nil
        }
        self.url = url
        self.listener = listener
    }

    /// Waits for a connection and the first bytes of its request.
    func acceptHead() -> Bool {
        guard isReadable(listener) else { return false }
        let new = accept(listener, nil, nil)
        guard new >= 0, isReadable(new) else { return false }
        sockets.append(new)
        return read(new) > 0
    }

    /// Waits for the end of a connection; false where none comes, or anything else does.
    func seesEnd(of number: Int) -> Bool {
        isReadable(sockets[number]) && read(sockets[number]) <= 0
    }

    private func read(_ socket: Int32) -> Int {
        withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) {
            recv(socket, $0.baseAddress, $0.count, 0)
        }
    }

    private func isReadable(_ socket: Int32) -> Bool {
        var waiting = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return poll(&waiting, 1, 10_000) == 1
    }
}
