import Foundation
import OperationNetworking

/// The rules that every program keeps, asked of a record (R1 to R4 and R6; R5 is `Exam`'s).
struct ExamRules {
    let record: ExamRecord
    let exceptions: Exam.Exceptions

    /// A sentence for each broken rule, with the rule's number first.
    var violations: [String] {
        record.numbers.flatMap { number in
            let events = record.events.filter { $0.operation == number }
            return callbacks(number, events) + notifications(number, events)
        }
            + record.outcomes.sorted { $0.key < $1.key }.flatMap { number, outcome in
                outcome.error.map { errors(number, $0) } ?? []
            }
    }

    /// R1, R2 and R4.
    private func callbacks(_ number: Int, _ events: [ExamRecord.Event]) -> [String] {
        let ends = events.filter { [.success, .failure].contains($0.kind) }
        let wanted = exceptions.silent.contains(number) ? 0 : 1
        var broken: [String] = []
        if ends.count != wanted {
            broken.append("R1: operation \(number) had \(ends.count) callbacks")
        }
        if !exceptions.otherQueue, ends.contains(where: { !$0.isMain }) {
            broken.append("R2: operation \(number) was called back off main")
        }
        if ends.contains(where: { !$0.isAtRest }) {
            broken.append("R4: operation \(number) was called back before its end")
        }
        return broken
    }

    /// R3: start and finish by turns; a finish alone is an operation cancelled before its start.
    private func notifications(_ number: Int, _ events: [ExamRecord.Event]) -> [String] {
        let reported = events.filter { [.start, .finish].contains($0.kind) }
        let kinds = reported.map(\.kind)
        let turns = (0..<kinds.count / 2).flatMap { _ in [ExamRecord.Kind.start, .finish] }
        var broken: [String] = []
        if kinds != turns && kinds != [.finish] {
            broken.append("R3: operation \(number) told \(kinds.map { "\($0)" })")
        }
        if reported.contains(where: { !$0.isMain }) {
            broken.append("R3: operation \(number) told off main")
        }
        return broken
    }

    /// R6.
    private func errors(_ number: Int, _ error: NSError) -> [String] {
        let wanted: Set<String>
        switch error.domain {
        case NetworkingError.responseSerializationDomain:
            guard [-1011, -1016].contains(error.code) || exceptions.codes.contains(error.code)
            else {
                return ["R6: operation \(number) failed with the code \(error.code)"]
            }
            wanted = [
                NSLocalizedDescriptionKey, NSURLErrorFailingURLErrorKey,
                NetworkingError.failingURLResponseKey,
            ]
        case NSURLErrorDomain:
            wanted = [NSURLErrorFailingURLErrorKey]
        case NetworkingError.requestSerializationDomain:
            wanted = [NSLocalizedFailureReasonErrorKey]
        case let domain where exceptions.domains.contains(domain):
            wanted = []
        default:
            return ["R6: operation \(number) failed with the domain \(error.domain)"]
        }
        let missing = wanted.subtracting(error.userInfo.keys).sorted()
        return missing.isEmpty ? [] : ["R6: operation \(number)'s error lacks \(missing)"]
    }
}
