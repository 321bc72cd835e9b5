import Foundation
import HTTPSemantics

/// The settings that exchanges must have in common to share a connection. Each combination has a transport of its own.
struct TransportKey: Hashable {
    var modes: Set<RunLoop.Mode>
    var requirements = ServerTrustRequirements()
    var proxy: Proxy?
    var clientIdentity: ClientIdentity?
    var route = ConnectionRoute()
    /// The clock with which time limits are measured.
    var clock = NetworkClock.system
}

/// The transports of the current thread.
///
/// ## Concurrency
/// Call from: any thread; each thread has its own table. Lock: none.
package enum TransportTable {
    private final class Table {
        // Exclusivity is not checked, for speed, because each request reads these. No access runs other code.

        @exclusivity(unchecked) var transports: [TransportKey: RunLoopTransport] = [:]
        /// The transport that was looked up last, which in most cases is the next one too. Comparing keys is faster than
        /// hashing one.
        @exclusivity(unchecked) var latest: RunLoopTransport?
        @exclusivity(unchecked) var fields = CheckedFieldsTable()
        @exclusivity(unchecked) var origin = LatestOrigin()
        /// The most transports without loads that stay open; each uses three descriptors.
        static let idleLimit = 16

        deinit {
            // A transport and its loads retain each other.
            for transport in transports.values { transport.close() }
        }

        /// Closes the transports without loads, except for the 16 that were used last.
        func closeIdle() {
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
        /// The limits of connections, for each set of modes. An exchange whose modes the run loop does not run thereby delays
        /// no exchange with other modes.
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

    /// Returns this thread's transport for these settings, which is made on first use.
    ///
    /// - Throws: `URLError.resourceUnavailable` if the process has no descriptors left.
    static func transport(for key: TransportKey) throws(URLError) -> RunLoopTransport {
        let table = current
        if let latest = table.latest, latest.key == key { return latest }
        if let transport = table.transports[key] {
            table.latest = transport
            return transport
        }
        table.closeIdle()
        let transport: RunLoopTransport
        do {
            transport = try RunLoopTransport(key, limiter: table.limiter(key.modes))
        } catch {
            guard closeIdleConnections(of: { _ in true }) else { throw error }
            transport = try RunLoopTransport(key, limiter: table.limiter(key.modes))
        }
        table.transports[key] = transport
        table.latest = transport
        return transport
    }

    /// Checks the header fields of a request. Requests of this thread with the same fields share the result.
    static func fields(of dictionary: [String: String]) -> CheckedFields {
        current.fields.fields(of: dictionary)
    }

    /// Returns the origin of a URL as a text, for which connections are counted, and whether its scheme is https. The text is
    /// empty for a URL without an origin.
    static func origin(of url: URL) -> (text: String, isSecure: Bool) {
        current.origin.origin(of: url)
    }

    /// Closes the idle connections of this thread.
    package static func closeIdleConnections() {
        closeIdleConnections { _ in true }
    }

    /// Closes the idle connections of some transports of this thread.
    ///
    /// - Returns: whether there were any.
    @discardableResult
    static func closeIdleConnections(of isOne: (RunLoopTransport) -> Bool) -> Bool {
        var hadSome = false
        for transport in current.transports.values where isOne(transport) {
            if transport.closeIdleConnections() { hadSome = true }
        }
        return hadSome
    }

    /// Closes all transports of this thread. To be called before the thread ends.
    package static func closeAll() {
        let table = current
        for transport in table.transports.values {
            transport.close()
        }
        pthread_setspecific(key, nil)
        Unmanaged.passUnretained(table).release()
    }
}
