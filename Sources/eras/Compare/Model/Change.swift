/// What the session era changed in a scenario, with its source.
struct Change: Sendable, Equatable {
    /// An outcome that is not the same in both eras.
    struct Difference: Sendable, Equatable {
        /// The outcome's name.
        var outcome: String
        /// Its value in the connection era; "-" where it has none.
        var connection: String
        /// Its value in the session era; "-" where it has none.
        var session: String
    }

    /// A short name.
    var name: String
    /// What changed and why, in one sentence.
    var sentence: String
    /// The statement, measurement or article that shows it, for example "LX-11".
    var source: String
    /// Every outcome that differs; empty where the results are equal.
    var differences: [Difference] = []
    /// The causes of the differences; empty where there are none.
    var causes: [Cause] = []
}
