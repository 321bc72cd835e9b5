/// A difference that is meant: the one outcome that it allows, made from the recording, and wrong
/// ones that it must refuse.
package struct ParityRule: Sendable {
    package enum Cause: Sendable, Equatable {
        /// A wound of AFNetworking that is repaired, by its number.
        case wound(Int)
        /// A statement of the request era that it follows, by its number.
        case statement(Int)
        /// A detail of the Foundation that the recorder ran on.
        case foundation

        /// How a case is counted that differs for it.
        package var verdict: ParityTally.Verdict {
            self == .foundation ? .foundation : .deliberate
        }
    }

    /// Makes a wrong outcome of a recording and of what is allowed.
    package typealias Wrong = @Sendable (RecordedCase, GoldenValue) -> GoldenValue

    /// A case that the rule is about, and an outcome that it must refuse there.
    package struct Refusal: Sendable {
        let id: String
        let madeUp: RecordedCase?
        let wrong: Wrong

        /// Of a recorded case.
        package static func on(_ id: String, _ wrong: @escaping Wrong) -> Refusal {
            Refusal(id: id, madeUp: nil, wrong: wrong)
        }

        /// Of one that is made up.
        package static func on(_ madeUp: RecordedCase, _ wrong: @escaping Wrong) -> Refusal {
            Refusal(id: madeUp.id, madeUp: madeUp, wrong: wrong)
        }
    }

    package let cause: Cause
    /// One line.
    package let reason: String
    package let refusals: [Refusal]
    /// The one outcome that it allows, made from the recording; nil for a case that it is not about.
    package let allowed: @Sendable (RecordedCase) -> GoldenValue?

    package init(
        _ cause: Cause, _ reason: String, _ refusals: Refusal...,
        allowed: @escaping @Sendable (RecordedCase) -> GoldenValue?
    ) {
        self.cause = cause
        self.reason = reason
        self.refusals = refusals
        self.allowed = allowed
    }

    /// Its cause and reason.
    package var title: String { "\(cause): \(reason)" }
}

extension RecordedCase {
    /// The recorded output with other members; nil takes one away.
    package func changed(_ members: [String: GoldenValue?]) -> GoldenValue {
        var result = output.members
        for (name, value) in members { result[name] = value }
        return .object(result)
    }
}
