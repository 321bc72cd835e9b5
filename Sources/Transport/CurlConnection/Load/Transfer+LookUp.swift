import Foundation
import HTTPSemantics
import Locking

/// The host names of an exchange whose addresses libcurl needs before it can connect.
struct LookUp {
    /// The look-up under way.
    var ticket: HostResolver.Ticket?
    /// The names that are not looked up yet; the first is under way.
    var waiting: ArraySlice<(host: String, port: Int)> = []
    /// What was found, in the form of `CURLOPT_RESOLVE`: `+host:port:address,address`.
    var entries: [String] = []
    /// A name was not found; the exchange ends with libcurl's error.
    var hasFailed = false
    /// libcurl forgets addresses after two seconds, and may need longer than that to use them.
    var triesLeft = 8
}

// `HostResolver` looks names up, once libcurl has found that it needs one: a kept connection needs
// none. The exchange is removed from libcurl meanwhile.

extension Transfer {
    func prepareLookUp(_ easy: CurlEasyHandle) throws(CurlError) {
        // `HostResolver` keeps addresses. libcurl would search all that it keeps after each exchange.
        // By SOCKS libcurl needs the server's address after the proxy's reply, which may take long.
        let isSOCKS = request.proxy.map { !$0.kind.isHTTP } ?? false
        try easy.set(.dnsCacheTimeout, to: isSOCKS ? 60 : 2)
        let entries = lookUp.entries + givenEntries
        guard !entries.isEmpty else { return }
        let addresses = CurlStringList()
        for entry in entries { try addresses.append(entry) }
        try easy.set(addresses: addresses)
    }

    /// libcurl may itself look up an address that is written as a number, and this machine's name: for
    /// these it begins no thread. Otherwise the exchange ends here and begins anew with the addresses.
    func mayLookUp() -> Bool {
        guard state.isWithLibcurl else { return false }
        divideTimes()
        noteConnecting()
        measured.times.looksUp(at: MonotonicClock.now)
        if hostsToLookUp.isEmpty, givenEntries.isEmpty { return true }
        if !lookUp.hasFailed, lookUp.triesLeft > 0 { interruption = .lookUp }
        return false
    }

    /// The names whose addresses libcurl needs, and that the program has not given.
    private var hostsToLookUp: [(host: String, port: Int)] {
        hosts.filter {
            !Self.isKnown($0.host) && request.options.route.addresses(of: $0.host) == nil
        }
    }

    /// The addresses that the program has given, for good: such exchanges have a libcurl of their own.
    private var givenEntries: [String] {
        if request.options.route.addresses.isEmpty { return [] }
        return hosts.flatMap { host, port in
            Self.entries(host, port, request.options.route.addresses(of: host) ?? [], keeping: "")
        }
    }

    /// The names of the proxy and of the server, as far as libcurl turns them into addresses.
    private var hosts: [(host: String, port: Int)] {
        var hosts: [(host: String, port: Int)] = []
        if let proxy = request.proxy { hosts.append((proxy.host, proxy.port)) }
        if request.proxy.map({ $0.kind == .socks4 || $0.kind == .socks5 }) != false,
            let host = request.url.host(percentEncoded: false)
        {
            hosts.append((host.lowercased(), request.url.port ?? (request.isSecure ? 443 : 80)))
        }
        return hosts
    }

    private static func isKnown(_ host: String) -> Bool {
        if host == "localhost" || host.hasSuffix(".localhost") || host.contains(":") { return true }
        var address = in_addr()
        return inet_aton(host, &address) != 0
    }

    /// libcurl has ended the exchange because of `mayLookUp`; it begins anew once the addresses are
    /// known.
    func beginLookUp() {
        interruption = nil
        lookUp.triesLeft -= 1
        lookUp.entries = []
        lookUp.waiting = hostsToLookUp[...]
        transport.setAside(self)
        lookUpNext()
        transport.scheduleTimeoutCheck(of: self)
    }

    private func lookUpNext() {
        if let next = lookUp.waiting.first {
            lookUp.ticket = transport.lookUp(next.host, for: self)
        } else {
            measured.times.lookedUp(at: MonotonicClock.now)
            transport.takeUpAgain(self)
        }
    }

    /// The resolver knows a host's addresses; none: there is no such name.
    ///
    /// Nothing happens where the exchange waits for another host by now, or for none.
    func found(_ answer: HostResolver.Answer, of host: String) {
        guard state == .lookingUp, let next = lookUp.waiting.first, next.host == host else {
            return
        }
        lookUp.ticket = nil
        guard takes(.addresses) else { return _ = apply(.suspend) }
        let addresses: HostResolver.Addresses
        do throws(ThreadUnavailable) {
            addresses = try answer.get()
        } catch {
            return couldNotBegin(
                error.number == EMFILE
                    ? DescriptorRoom.error(for: request.url)
                    : URLError(
                        .resourceUnavailable, url: request.url, text: error.description,
                        underlying: error))
        }
        lookUp.hasFailed = addresses.isEmpty
        lookUp.entries += Self.entries(host, next.port, addresses)
        lookUp.waiting = addresses.isEmpty ? [] : lookUp.waiting.dropFirst()
        lookUpNext()
    }

    /// Before there is a connection libcurl gives a socket up with its address. It has chosen the next one, and
    /// tries that only when it looks at the exchange again: libcurl 7.88.1 has no timer set for it.
    func givesUpSocket() {
        guard state == .exchanging, sent.requests == 0, interruption == nil, let easy else {
            return
        }
        transport.later { self.tryNextAddress(easy) }
    }

    /// Nothing happens where the exchange has ended or begun anew meanwhile.
    private func tryNextAddress(_ handle: CurlEasyHandle) {
        if easy === handle { tryNextAddress() }
    }

    /// Nothing happens once a connection was made and used, or while the load is suspended.
    func tryNextAddress() {
        guard state == .exchanging, sent.requests == 0, takes(.nextAddress) else { return }
        // After a pause libcurl looks.
        transport.pause(self)
        transport.unpause(self, receiving: true)
    }

    /// libcurl could connect to none of the addresses; they may have changed.
    func forgetAddresses() {
        for (host, _) in hostsToLookUp { HostResolver.shared.forget(host) }
    }

    /// libcurl may have cut off the dot at the end of a host.
    ///
    /// - Parameter mark: with "+" libcurl forgets them again.
    private static func entries(
        _ host: String, _ port: Int, _ addresses: [String], keeping mark: String = "+"
    ) -> [String] {
        if addresses.isEmpty { return [] }
        let list = addresses.map { $0.contains(":") ? "[\($0)]" : $0 }.joined(separator: ",")
        let names = host.hasSuffix(".") ? [host, String(host.dropLast())] : [host]
        return names.map { "\(mark)\($0):\(port):\(list)" }
    }
}
