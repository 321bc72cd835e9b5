import ParitySupport

/// A difference that is meant: what it makes of a recording is the one outcome that it allows.
struct TraceRule: Sendable {
    /// The statement of the request era; 0 where Foundation decided what was recorded.
    let statement: Int
    let reason: String
    let ids: Set<String>
    let change: @Sendable (inout TraceComparison.Expected) -> Void
}

enum TraceRules {
    /// Members that tell of Foundation on Linux alone: `taskState`, and whether a temporary file is
    /// there, which on other systems is gone.
    static let foundations: Set<String> = []

    static let all: [TraceRule] = []
}
