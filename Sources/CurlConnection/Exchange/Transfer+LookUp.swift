import Foundation

/// How far an exchange is with the names that must be known before libcurl can connect.
struct LookUp {
    /// What is waited for.
    var ticket: HostResolver.Ticket?
    /// What was found, as libcurl takes it: `+host:port:address,address`.
    var entries: [String] = []
    /// A name was not found, so libcurl's own error is the end.
    var hasFailed = false
    /// libcurl forgets after two seconds, and may be slower than that.
    var triesLeft = 8
    var began: UInt64 = 0
}

// Names are looked up by `HostResolver`, and only once libcurl has found that it needs one: a kept
// connection needs none. The exchange is taken off libcurl meanwhile.

extension Transfer {
    /// Asked by libcurl before it looks a name up, which it does only where that is a number or
    /// this machine's own name: for these it needs no thread. A refusal ends the exchange there.
    func isLookUpLibcurls() -> Bool {
        guard state.isWithLibcurl else { return false }
        if hostsToLookUp.isEmpty { return true }
        if !lookUp.hasFailed, lookUp.triesLeft > 0 { interruption = .lookUp }
        return false
    }

    /// The names, of the proxy and of the server, whose addresses libcurl needs here.
    private var hostsToLookUp: [(host: String, port: Int)] {
        var hosts: [(host: String, port: Int)] = []
        if let proxy = request.proxy { hosts.append((proxy.host, proxy.port)) }
        if request.proxy.map({ $0.kind == .socks4 || $0.kind == .socks5 }) != false,
            let host = request.url.host(percentEncoded: false)
        {
            hosts.append((host.lowercased(), request.url.port ?? (request.isSecure ? 443 : 80)))
        }
        return hosts.filter { !Self.isKnown($0.host) }
    }

    private static func isKnown(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host.contains(":") { return true }
        var address = in_addr()
        return inet_aton(host, &address) != 0
    }

    /// libcurl has ended the exchange because of `isLookUpLibcurls`; it goes on once the names are known.
    func beginLookUp() {
        interruption = nil
        lookUp.triesLeft -= 1
        lookUp.entries = []
        lookUp.began = MonotonicClock.now
        transport.setAside(self)
        lookUp(hostsToLookUp[...])
        transport.scheduleTimeoutCheck(before: nextTimeoutCheck)
    }

    /// None of the addresses could be connected to; they may have changed.
    func forgetAddresses() {
        for (host, _) in hostsToLookUp { HostResolver.shared.forget(host) }
    }

    private func lookUp(_ hosts: ArraySlice<(host: String, port: Int)>) {
        guard let (host, port) = hosts.first else {
            trace?.lookedUp(since: lookUp.began)
            return transport.takeUpAgain(self)
        }
        let end = LookUpEnd(transport, self) { transfer, addresses in
            transfer.lookUp.ticket = nil
            transfer.lookUp.hasFailed = addresses.isEmpty
            transfer.lookUp.entries += Self.entries(host, port, addresses)
            transfer.lookUp(addresses.isEmpty ? [] : hosts.dropFirst())
        }
        lookUp.ticket = HostResolver.shared.ask(for: host, whenFound: end.come)
    }

    /// libcurl may have cut off a dot at the end.
    private static func entries(_ host: String, _ port: Int, _ addresses: [String]) -> [String] {
        if addresses.isEmpty { return [] }
        let list = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        let names = host.hasSuffix(".") ? [host, String(host.dropLast())] : [host]
        return names.map { "+\($0):\(port):\(list)" }
    }
}

/// Carries an answer from the resolver's thread to the transport's.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; its references are weak. Calls out on: the transport's thread.
private final class LookUpEnd: @unchecked Sendable {
    // @unchecked because the closure and what the references lead to are used on the transport's
    // thread alone, and the references, being weak, may be dropped on any.
    private weak var transport: RunLoopTransport?
    private weak var transfer: Transfer?
    private let crossThreadJobs: CrossThreadJobs
    private let found: (Transfer, HostResolver.Addresses) -> Void

    init(
        _ transport: RunLoopTransport, _ transfer: Transfer,
        _ found: @escaping (Transfer, HostResolver.Addresses) -> Void
    ) {
        self.transport = transport
        self.transfer = transfer
        self.found = found
        crossThreadJobs = transport.crossThreadJobs
    }

    /// From any thread.
    func come(_ addresses: HostResolver.Addresses) {
        crossThreadJobs.perform {
            guard let transfer = self.transfer, transfer.state == .lookingUp else { return }
            self.found(transfer, addresses)
        }
    }
}
