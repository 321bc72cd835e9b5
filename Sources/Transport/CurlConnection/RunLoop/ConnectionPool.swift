/// The multi handle of a transport, which is made on first use, and the limits of its connection pool.
struct ConnectionPool {
    private let descriptors: DescriptorSet
    private(set) var multi: CurlMultiHandle?
    /// The most connections that libcurl keeps open (`CURLMOPT_MAXCONNECTS`), in use and idle.
    private var poolLimit = 0
    /// The upper bound of `poolLimit`, because files and the program itself need descriptors too.
    private var mostPoolLimit = Int.max
    /// Whether libcurl was made to close an idle connection before it opens the next one.
    private var takesIdle = false
    /// The origins whose connections may stay open while they are idle.
    private var keptOrigins: Set<String> = []

    private static let limit = 64
    private static let keptOriginLimit = 512

    init(_ descriptors: DescriptorSet) {
        self.descriptors = descriptors
    }

    /// Whether a call of libcurl is under way.
    var isInside: Bool { multi?.isInside == true }

    /// Whether `keptOrigins` is full and no connection is in use, so that the pool should be replaced.
    var mustBeReplaced: Bool { keptOrigins.count >= Self.keptOriginLimit && multi?.count == 0 }

    mutating func ready() throws(CurlError) -> CurlMultiHandle {
        if let multi { return multi }
        let multi = try CurlMultiHandle(descriptors)
        let left = DescriptorRoom.left ?? .max
        mostPoolLimit = max(1, left / 2)
        poolLimit = min(Self.limit, max(1, left / 4))
        try multi.keepConnections(poolLimit)
        self.multi = multi
        return multi
    }

    /// Raises the limit to the number of connections in use. libcurl counts these too, and with a lower limit it would
    /// close each connection that becomes idle.
    mutating func raiseLimit(to count: Int) throws(CurlError) {
        let count = min(count, mostPoolLimit)
        guard count > poolLimit else { return }
        poolLimit = count
        try multi?.keepConnections(count)
    }

    /// To be called when the process has no descriptors left. libcurl then closes the connection that has been idle for the
    /// longest time before it opens another one, and keeps fewer connections from now on.
    ///
    /// - Parameter open: the number of open connections.
    mutating func takeIdle(of open: Int) throws(CurlError) {
        mostPoolLimit = max(1, open / 2)
        if poolLimit > mostPoolLimit {
            poolLimit = mostPoolLimit
            try multi?.keepConnections(poolLimit)
        }
        takesIdle = true
        // At the limit libcurl 7 closes one connection. libcurl 8 closes all that are idle until there are fewer, and waits
        // where those in use are as many as the limit.
        try multi?.limitConnections(CurlGlobal.isVersion8 ? max(1, open) : 1)
    }

    /// To be called when libcurl has begun the exchange for which `takeIdle` was called.
    mutating func hasBegun() {
        guard takesIdle else { return }
        takesIdle = false
        try? multi?.limitConnections(0)
    }

    /// Whether a connection to this origin may stay open after its exchange. That is limited to a number of origins, until
    /// the pool is replaced while nothing is under way.
    ///
    /// When libcurl 7.88.1 closes an idle connection to make space for another one, the entry of its host stays in the pool,
    /// and each later search of the pool passes it. A connection that is closed after its exchange leaves no entry.
    mutating func mayKeepConnection(to origin: String) -> Bool {
        if keptOrigins.contains(origin) { return true }
        guard keptOrigins.count < Self.keptOriginLimit else { return false }
        keptOrigins.insert(origin)
        return true
    }

    mutating func close() {
        multi = nil
        keptOrigins = []
        takesIdle = false
    }
}
