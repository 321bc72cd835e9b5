import Foundation
import HTTPSemantics

/// What exchanges must have in common to share a connection; each value has its own pool.
struct TransportKey: Hashable {
    var modes: Set<RunLoop.Mode>
    var requirements = ServerTrustRequirements()
    var proxy: Proxy?
    var clientIdentity: ClientIdentity?
    var route = ConnectionRoute()
    /// The one that limits go by.
    var clock = NetworkClock.system
}

/// The transports of one thread, by what their exchanges have in common.
///
/// ## Concurrency
/// Call from: any thread, each sees its own table. Lock: none.
package enum TransportTable {
    private final class Table {
        // Unchecked for speed, because each request looks here: nothing is called while one of them changes.

        @exclusivity(unchecked) var transports: [TransportKey: RunLoopTransport] = [:]
        /// The one asked for last. Mostly it is asked for next, and comparing is faster than hashing.
        @exclusivity(unchecked) var latest: RunLoopTransport?
        @exclusivity(unchecked) var fields = CheckedFieldsTable()
        @exclusivity(unchecked) var origin = LatestOrigin()
        /// Transports kept while no load uses them; each costs three descriptors.
        static let idleLimit = 16

        deinit {
            // A transport and its loads hold each other.
            for transport in transports.values { transport.close() }
        }

        /// Ends the transports that no load uses, but for those used latest.
        func makeRoom() {
            let idle = transports.filter { $0.value.isIdle }
            guard idle.count > Self.idleLimit else { return }
            let oldest = idle.sorted { $0.value.lastUse < $1.value.lastUse }
            for (key, transport) in oldest.dropLast(Self.idleLimit) {
                transport.close()
                transports[key] = nil
                if latest === transport { latest = nil }
            }
            let modesInUse = Set(transports.keys.map(\.modes))
            limiters = limiters.filter { modesInUse.contains($0.key) }
        }
        /// By modes, so that an exchange in modes that are not run keeps no other waiting.
        @exclusivity(unchecked) var limiters: [Set<RunLoop.Mode>: ConnectionLimiter] = [:]

        func limiter(_ modes: Set<RunLoop.Mode>) -> ConnectionLimiter {
            if let known = limiters[modes] { return known }
            let limiter = ConnectionLimiter()
            limiters[modes] = limiter
            return limiter
        }
    }

    /// The table of a thread is released when the thread ends.
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key) { table in
            table.map { Unmanaged<Table>.fromOpaque($0).release() }
        }
        return key
    }()

    private static var current: Table {
        if let table = pthread_getspecific(key) {
            return Unmanaged<Table>.fromOpaque(table).takeUnretainedValue()
        }
        let table = Table()
        pthread_setspecific(key, Unmanaged.passRetained(table).toOpaque())
        return table
    }

    /// This thread's transport for what exchanges have in common; made on first use.
    ///
    /// - Throws: `URLError.resourceUnavailable` when the process has no descriptors left.
    static func transport(for key: TransportKey) throws(URLError) -> RunLoopTransport {
        let table = current
        if let latest = table.latest, latest.key == key { return latest }
        if let transport = table.transports[key] {
            table.latest = transport
            return transport
        }
        table.makeRoom()
        let transport: RunLoopTransport
        do {
            transport = try RunLoopTransport(key, limiter: table.limiter(key.modes))
        } catch {
            guard closeIdleConnections(but: nil) else { throw error }
            transport = try RunLoopTransport(key, limiter: table.limiter(key.modes))
        }
        table.transports[key] = transport
        table.latest = transport
        return transport
    }

    /// A request's fields, checked; this thread's requests that carry the same share them.
    static func fields(of dictionary: [String: String]) -> CheckedFields {
        current.fields.fields(of: dictionary)
    }

    /// The text by which connections are counted, and whether it is one of https; empty for a URL without an origin.
    static func origin(of url: URL) -> (text: String, isSecure: Bool) {
        current.origin.origin(of: url)
    }

    /// Closes this thread's kept connections; those in use go on.
    package static func closeIdleConnections() {
        for transport in current.transports.values {
            transport.closeIdleConnections()
        }
    }

    /// The same for all transports but one, so that a descriptor becomes free.
    ///
    /// - Returns: whether any were closed.
    static func closeIdleConnections(but transport: RunLoopTransport?) -> Bool {
        var hadSome = false
        for other in current.transports.values where other !== transport {
            if other.closeIdleConnections() { hadSome = true }
        }
        return hadSome
    }

    /// The same for the transports of one set of modes.
    static func closeIdleConnections(inModes modes: Set<RunLoop.Mode>) {
        for (key, transport) in current.transports where key.modes == modes {
            transport.closeIdleConnections()
        }
    }

    /// Ends this thread's transports; for a thread that is about to end.
    package static func closeAll() {
        let table = current
        for transport in table.transports.values {
            transport.close()
        }
        pthread_setspecific(key, nil)
        Unmanaged.passUnretained(table).release()
    }
}
