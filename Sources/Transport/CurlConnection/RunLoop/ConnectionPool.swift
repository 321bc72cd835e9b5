/// libcurl's pool of a transport: the multi handle, made when it is needed, and what it may keep.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
struct ConnectionPool {
    private let descriptors: DescriptorSet
    private(set) var multi: CurlMultiHandle?
    /// How many connections libcurl may have, in use and kept.
    private var room = 0
    /// The most it may ever have. The rest of the descriptors is for files, and for what the program opens.
    private var mostRoom = Int.max
    /// Whether what libcurl opens next takes the descriptor of an idle connection.
    private var takesIdle = false
    /// The origins whose connections libcurl may keep.
    private var keptOrigins: Set<String> = []

    private static let limit = 64
    private static let keptOriginLimit = 512

    init(_ descriptors: DescriptorSet) {
        self.descriptors = descriptors
    }

    /// Whether libcurl is calling.
    var isInside: Bool { multi?.isInside == true }

    /// Whether it keeps connections to as many origins as it may, and none is in use.
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

    /// Lets libcurl keep as many connections as were in use at once. libcurl counts those in use too, and closes
    /// each that becomes free beyond the limit.
    mutating func makeRoom(for count: Int) throws(CurlError) {
        let count = min(count, mostRoom)
        guard count > room else { return }
        room = count
        try multi?.keepConnections(count)
    }

    /// No descriptors are left: the next connection takes that of the one that was idle for longest, and fewer
    /// are kept from now on.
    ///
    /// - Parameter open: how many connections there are.
    mutating func takeIdle(of open: Int) throws(CurlError) {
        mostRoom = max(1, open / 2)
        if room > mostRoom {
            room = mostRoom
            try multi?.keepConnections(room)
        }
        takesIdle = true
        try multi?.limitConnections(1)
    }

    /// libcurl has begun what it was given.
    mutating func hasBegun() {
        guard takesIdle else { return }
        takesIdle = false
        try? multi?.limitConnections(0)
    }

    /// Bounds what libcurl 7.88.1 keeps of a server: when it closes the oldest connection to make room for
    /// another, the entry of its host stays in the pool until the pool itself goes, and each later search of the
    /// pool passes it. A connection that was never kept leaves no entry.
    ///
    /// So libcurl keeps connections to a limited number of origins, and starts over with a new pool when nothing
    /// is under way.
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
