/// What the session era changed in a scenario, and where that is known from.
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

    /// A few words to call it by.
    var name: String
    /// What changed and why, in one sentence.
    var sentence: String
    /// The statement, measurement or article that says so, for example "LX-11".
    var source: String
    /// Every outcome that differs; none: the results are equal, and only the way to them changed.
    var differences: [Difference] = []
    /// Whose doing the differences are; none where there are none.
    var causes: [Cause] = []
}
