import Foundation

/// What one run of one rival printed.
struct Measurement: Decodable {
    var requests: Int
    var failures: Int
    var seconds: Double
    var cpu: Double
    var bytes: Int
    var peakMiB: Double
    var medianLatency: Double?
    var latency99: Double?
    var enqueuing: Double?
    var bytesWaiting: Double?
    var sleeps: Int?
    var socketsLeft: Int?
    var firstAnswer: UInt64?
    var isEqual: Bool?
    var eventsARequest: Double?
    var shareWhenOff: Double?
    var timesApart: Double?
    var closed99: Double?
    var closedWorst: Double?
    var requestsSeen: Int?
    var bodyBytesSeen: Int?
    /// libcurl's, Foundation's, the program's own.
    var allocations: [Int]?
    /// Seconds from the start of the process; known to who started it.
    var coldStart: Double?

    var requestsPerSecond: Double { seconds > 0 ? Double(requests) / seconds : 0 }
    var cpuMicroseconds: Double { requests > 0 ? cpu * 1e6 / Double(requests) : 0 }

    subscript(metric: Metric) -> Double? {
        switch metric {
        case .requestsPerSecond: requestsPerSecond
        case .medianLatency: medianLatency
        case .latency99: latency99
        case .seconds: seconds
        case .secondsARequest: seconds / Double(max(requests, 1))
        case .coldStart: coldStart
        case .cpuSeconds: cpu
        case .peakMiB: peakMiB
        case .bytesWaiting: bytesWaiting
        case .sleeps: sleeps.map(Double.init)
        case .socketsLeft: socketsLeft.map(Double.init)
        case .cpuARequest: cpuMicroseconds
        case .shareWhenOff: shareWhenOff
        case .timesApart: timesApart
        case .closed99: closed99
        case .closedWorst: closedWorst
        case .requestsSeen: requestsSeen.map(Double.init)
        case .bodyBytesSeen: bodyBytesSeen.map(Double.init)
        case .isEqual: isEqual.map { $0 ? 1 : 0 }
        case .allocations: allocationsARequest(of: 0...2)
        case .allocationsOfLibcurl: allocationsARequest(of: 0...0)
        case .allocationsOfFoundation: allocationsARequest(of: 1...1)
        case .allocationsOfTheProgram: allocationsARequest(of: 2...2)
        }
    }

    private func allocationsARequest(of owners: ClosedRange<Int>) -> Double? {
        allocations.map { Double($0[owners].reduce(0, +)) / Double(max(requests, 1)) }
    }
}

/// The middle of some numbers, and how far they reach.
struct Spread: Codable {
    var median: Double
    var least: Double
    var most: Double

    init?(_ numbers: [Double]) {
        let sorted = numbers.sorted()
        guard let least = sorted.first, let most = sorted.last else { return nil }
        let middle = sorted.count / 2
        median =
            sorted.count % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
        self.least = least
        self.most = most
    }
}

/// All runs of one session: by workload and rival, round by round.
struct Measurements {
    private var runs: [String: [RivalName: [Measurement]]] = [:]
    /// What the C loop measured at the same time as a rival.
    private var loopsBeside: [String: [RivalName: [Measurement]]] = [:]

    mutating func note(_ measurement: Measurement, _ workload: String, _ rival: RivalName) {
        runs[workload, default: [:]][rival, default: []].append(measurement)
    }

    mutating func note(
        _ measurement: Measurement, _ workload: String, _ rival: RivalName, beside loop: Measurement
    ) {
        note(measurement, workload, rival)
        loopsBeside[workload, default: [:]][rival, default: []].append(loop)
    }

    func rounds(_ workload: String, _ rival: RivalName) -> [Measurement] {
        runs[workload]?[rival] ?? []
    }

    /// The ratio of each round, or the number itself where there is nothing to divide by.
    func ratios(
        _ workload: String, _ rival: RivalName, _ metric: Metric, to reference: Reference
    ) -> Spread? {
        let own = rounds(workload, rival)
        let others: [Measurement]
        switch reference {
        case .loop: others = loopsBeside[workload]?[rival] ?? rounds(workload, .loop)
        case .rival(let other): others = rounds(workload, other)
        case .workload(let other): others = rounds(other, rival)
        case .nothing: return Spread(own.compactMap { $0[metric] })
        }
        return Spread(
            zip(own, others).compactMap { own, other in
                guard let number = own[metric], let divisor = other[metric], divisor > 0 else {
                    return nil
                }
                return number / divisor
            })
    }

    func median(_ workload: String, _ rival: RivalName, _ number: (Measurement) -> Double)
        -> Double?
    {
        Spread(rounds(workload, rival).map(number))?.median
    }
}
