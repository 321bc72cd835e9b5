/// A transport's multi handle, made when it is needed, and the limits of its connection pool.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
struct ConnectionPool {
    private let descriptors: DescriptorSet
    private(set) var multi: CurlMultiHandle?
    /// How many connections libcurl may have, in use and idle.
    private var room = 0
    /// The upper bound of `room`. Files and the program itself need descriptors too.
    private var mostRoom = Int.max
    /// Whether libcurl closes an idle connection before it opens the next.
    private var takesIdle = false
    /// The origins to which libcurl may keep idle connections.
    private var keptOrigins: Set<String> = []

    private static let limit = 64
    private static let keptOriginLimit = 512

    init(_ descriptors: DescriptorSet) {
        self.descriptors = descriptors
    }

    /// Whether a call of libcurl is under way.
    var isInside: Bool { multi?.isInside == true }

    /// Whether `keptOrigins` is full, and no connection is in use.
    var isWornOut: Bool { keptOrigins.count >= Self.keptOriginLimit && multi?.count == 0 }

    mutating func ready() throws(CurlError) -> CurlMultiHandle {
        if let multi { return multi }
        let multi = try CurlMultiHandle(descriptors)
        let left = DescriptorRoom.left ?? .max
        mostRoom = max(1, left / 2)
        room = min(Self.limit, max(1, left / 4))
        try multi.keepConnections(room)
        self.multi = multi
        return multi
    }

    /// Raises the limit to the connections in use. libcurl counts these too, and closes each that becomes idle beyond
    /// the limit.
    mutating func makeRoom(for count: Int) throws(CurlError) {
        let count = min(count, mostRoom)
        guard count > room else { return }
        room = count
        try multi?.keepConnections(count)
    }

    /// No descriptors are left: libcurl closes the connection that was idle longest before it opens the next, and keeps
    /// fewer from now on.
    ///
    /// - Parameter open: how many connections are open.
    mutating func takeIdle(of open: Int) throws(CurlError) {
        mostRoom = max(1, open / 2)
        if room > mostRoom {
            room = mostRoom
            try multi?.keepConnections(room)
        }
        takesIdle = true
        try multi?.limitConnections(1)
    }

    /// libcurl has begun the exchange that needed `takeIdle`.
    mutating func hasBegun() {
        guard takesIdle else { return }
        takesIdle = false
        try? multi?.limitConnections(0)
    }

    /// Whether a connection to an origin may be kept: so for a limited number of origins, until the pool is renewed
    /// while nothing is under way.
    ///
    /// When libcurl 7.88.1 closes the oldest connection for another, its host's entry stays in the pool, and each
    /// later search of the pool passes it. A connection that was never kept leaves no entry.
    mutating func mayKeepConnection(to origin: String) -> Bool {
        if keptOrigins.contains(origin) { return true }
        guard keptOrigins.count < Self.keptOriginLimit else { return false }
        keptOrigins.insert(origin)
        return true
    }

    /// Closes all connections.
    mutating func close() {
        multi = nil
        keptOrigins = []
        takesIdle = false
    }
}
