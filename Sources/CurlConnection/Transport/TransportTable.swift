import Foundation

/// The transports of one thread, by modes and trust requirements.
///
/// ## Concurrency
/// Call from: any thread, each sees its own table. Lock: none.
package enum TransportTable {
    private struct Key: Hashable {
        var modes: Set<RunLoop.Mode>
        var requirements: ServerTrustRequirements
    }

    private final class Table {
        var transports: [Key: RunLoopTransport] = [:]
    }

    private static let key = "CurlConnection.TransportTable"

    private static var current: Table {
        if let table = Thread.current.threadDictionary[key] as? Table { return table }
        let table = Table()
        Thread.current.threadDictionary[key] = table
        return table
    }

    /// This thread's transport for the modes and requirements; made on first use.
    ///
    /// - Throws: `URLError.resourceUnavailable` when the process has no descriptors left.
    static func transport(
        modes: Set<RunLoop.Mode>, requirements: ServerTrustRequirements
    ) throws(URLError) -> RunLoopTransport {
        let table = current
        let key = Key(modes: modes, requirements: requirements)
        if let transport = table.transports[key] { return transport }
        let transport = try RunLoopTransport(modes: modes, requirements: requirements)
        table.transports[key] = transport
        return transport
    }

    /// Closes this thread's kept connections; those in use go on.
    package static func closeIdleConnections() {
        for transport in current.transports.values {
            transport.closeIdleConnections()
        }
    }

    /// The same for the transports of one set of modes.
    static func closeIdleConnections(inModes modes: Set<RunLoop.Mode>) {
        for (key, transport) in current.transports where key.modes == modes {
            transport.closeIdleConnections()
        }
    }

    /// Ends this thread's transports; for a thread that is about to end.
    package static func closeAll() {
        for transport in current.transports.values {
            transport.close()
        }
        Thread.current.threadDictionary[key] = nil
    }
}
