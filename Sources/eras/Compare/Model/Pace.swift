/// Pure: which era was faster, as far as a few runs on a busy machine can show.
enum Pace: Equatable, Sendable {
    case faster(Era)
    case level
    /// There were too few runs.
    case unknown

    /// The fewest runs that are compared.
    static let fewestRuns = 3

    /// An era is faster where four fifths of its runs took less time than every run of the other,
    /// and its median is a tenth less, and at least a millisecond.
    ///
    /// One run in five may be slow because the machine was busy.
    init(connection: [Double], session: [Double]) {
        guard min(connection.count, session.count) >= Self.fewestRuns else {
            self = .unknown
            return
        }
        if Self.isFaster(connection, session) {
            self = .faster(.connection)
        } else if Self.isFaster(session, connection) {
            self = .faster(.session)
        } else {
            self = .level
        }
    }

    private static func isFaster(_ one: [Double], _ other: [Double]) -> Bool {
        let (one, other) = (one.sorted(), other.sorted())
        let counted = one.count - one.count / 5
        let difference = other[(other.count - 1) / 2] - one[(one.count - 1) / 2]
        return one[counted - 1] < other[0]
            && difference >= max(1, other[(other.count - 1) / 2] / 10)
    }

    /// For tables; empty where the pace is unknown.
    var word: String {
        switch self {
        case .faster(let era): era.rawValue
        case .level: "level"
        case .unknown: ""
        }
    }

    /// For a sentence or a label.
    var text: String {
        switch self {
        case .faster(let era): "\(era.title) faster"
        case .level: "level"
        case .unknown: ""
        }
    }
}
