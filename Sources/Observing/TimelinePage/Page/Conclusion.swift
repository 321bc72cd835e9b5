/// What a picture shows, in one sentence.
enum Conclusion {
    /// The scenario's sentence, or else one made from its tracks.
    static func text(of scenario: TimelineScenario) -> String {
        if !scenario.conclusion.isEmpty { return scenario.conclusion }
        if !scenario.failure.isEmpty { return "It failed: \(scenario.failure)" }
        let eras = scenario.eras.filter { !$0.tracks.isEmpty }
        switch eras.count {
        case 0: return "Nothing was recorded."
        case 1: return one(eras[0])
        default: return several(eras)
        }
    }

    private static func several(_ eras: [TimelineEra]) -> String {
        let times = eras.map { "\($0.name) \(HTMLText.milliseconds(length($0))) ms" }
        return "From the first to the last mark: \(times.joined(separator: ", "))."
    }

    private static func length(_ era: TimelineEra) -> Double {
        era.facts.wallMilliseconds ?? era.tracks.map(\.end).max() ?? 0
    }

    // MARK: One recording

    static let jobs: [TimelineSpan.Kind] = [.request, .task, .operation]

    /// Such as "10 operations in 24.3 ms, at most 3 at a time, on 3 sockets; your blocks were called
    /// 10 times, 1 with an error."
    private static func one(_ era: TimelineEra) -> String {
        let spans = era.tracks.flatMap(\.spans)
        let time = "\(HTMLText.milliseconds(length(era))) ms"
        guard let kind = jobs.first(where: { kind in spans.contains { $0.kind == kind } }) else {
            let marks = spans.count + era.tracks.reduce(0) { $0 + $1.dots.count }
            return "\(HTMLText.counted(marks, "mark")) in \(time)."
        }
        let bars = spans.filter { $0.kind == kind }
        var text = "\(HTMLText.counted(bars.count, kind.rawValue)) in \(time)"
        if bars.count > 1 { text += ", at most \(most(bars)) at a time" }
        let sockets = spans.count { $0.kind == .socket }
        if sockets > 0 { text += ", on \(HTMLText.counted(sockets, "socket"))" }
        return text + calls(era.tracks.flatMap(\.dots)) + "."
    }

    private static func calls(_ dots: [TimelineDot]) -> String {
        func number(_ kind: TimelineDot.Kind) -> Int {
            dots.filter { $0.kind == kind }.reduce(0) { $0 + $1.count }
        }
        let failures = number(.failure)
        let all = number(.callback) + number(.progress) + failures
        guard all > 0 else { return "" }
        let errors = failures == 0 ? "" : ", \(failures) with an error"
        return "; your blocks were called \(HTMLText.counted(all, "time"))\(errors)"
    }

    /// The most that ran at one time.
    static func most(_ bars: [TimelineSpan]) -> Int {
        // At the same time, ends are counted before starts.
        let steps = (bars.map { ($0.start, 1) } + bars.map { ($0.end, -1) })
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        var (now, most) = (0, 0)
        for (_, step) in steps {
            now += step
            most = max(most, now)
        }
        return max(most, 1)
    }
}
