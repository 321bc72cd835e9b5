import CMeasure
import Foundation

/// One session: every workload, round by round, every rival in each round.
final class Benchmark {
    private let options: Options
    private let programs: URL
    private let python: Python
    private var measurements = Measurements()
    /// What was left out, and why.
    private var remarks: [String] = []
    private var missing: Set<RivalName> = []

    init(_ options: Options) throws {
        self.options = options
        programs = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
        python = Python(folder: options.folder)
    }

    /// - Returns: whether every threshold was kept, where they were asked for.
    func run() throws -> Bool {
        _ = measure_allow_descriptors()
        // Now, since a folder that cannot be made would lose what takes minutes to measure.
        try FileManager.default.createDirectory(
            at: options.folder, withIntermediateDirectories: true)
        let workloads = chosenWorkloads
        if !options.onlyServes { findMissing(in: workloads) }
        let folder = FileManager.default.temporaryDirectory
            .appending(path: "bench-\(getpid())")
        let servers = try Servers(in: folder, programs: programs, isQuick: options.isQuick)
        let stopper = Stopper(servers)
        defer { stopper.stop() }
        if options.onlyServes { return serve(workloads, servers) }
        if servers.largeLength != 1 << 30 {
            remark("the large body has \(servers.largeLength >> 20) MiB, not 1 GiB")
        }
        let begin = Date()
        for group in Self.groups(of: workloads) {
            let seconds = Int(Date().timeIntervalSince(begin))
            say("[\(seconds) s] \(group.map(\.title).joined(separator: "; "))")
            measure(group, on: servers)
        }
        remarks.append("Measuring took \(Int(Date().timeIntervalSince(begin))) s.")
        let report = Report(
            measurements, workloads: workloads, machine: Machine(), remarks: remarks,
            rounds: options.rounds)
        try report.write(into: options.folder)
        say("\n" + report.markdown)
        let thresholds = Thresholds(folder: options.folder)
        if options.writesThresholds { try thresholds.write(report.rows) }
        return try !options.checks || thresholds.areKept(by: report.rows)
    }

    /// Says how each client is run, until it is interrupted.
    private func serve(_ workloads: [Workload], _ servers: Servers) -> Bool {
        for workload in workloads {
            for rival in workload.rivals {
                say(command(rival, workload, servers).line)
            }
        }
        while true { sleep(60) }
    }

    private var chosenWorkloads: [Workload] {
        Workload.all.filter { options.workloads.isEmpty || options.workloads.contains($0.name) }
            .map { workload in
                var workload = options.isQuick ? workload.quick : workload
                workload.rivals = workload.rivals.filter {
                    $0 == .loop || options.rivals.isEmpty || options.rivals.contains($0.rawValue)
                }
                return workload
            }
    }

    private func findMissing(in workloads: [Workload]) {
        let wanted = Set(workloads.flatMap(\.rivals))
        if !wanted.isDisjoint(with: RivalName.inPython), let reason = python.prepare() {
            leaveOut(RivalName.inPython, reason)
        }
        if wanted.contains(.curl), !Child.succeeds(["curl", "--version"]) {
            leaveOut([.curl], "the curl command is left out: it is not installed")
        }
        if wanted.contains(.eras), !Child.succeeds([Command.eras, "--version"]) {
            leaveOut(
                [.eras],
                "eras fetch is left out: \(Command.eras) does not run; `swift build -c release "
                    + "--product eras` makes it, and ERAS names another")
        }
    }

    private func leaveOut(_ rivals: Set<RivalName>, _ reason: String) {
        missing.formUnion(rivals)
        remark(reason)
    }

    private func remark(_ text: String) {
        say("  \(text)")
        remarks.append(text)
    }

    // MARK: Measuring

    private static func groups(of workloads: [Workload]) -> [[Workload]] {
        workloads.reduce(into: []) { groups, workload in
            if workload.takesTurnsWithTheOneBefore, let last = groups.indices.last {
                groups[last].append(workload)
            } else {
                groups.append([workload])
            }
        }
    }

    private func measure(_ group: [Workload], on servers: Servers) {
        let rounds = group[0].rounds ?? options.rounds * (group.map(\.repeats).max() ?? 1)
        for round in 0..<rounds {
            for workload in group {
                let rivals = workload.rivals.filter { !missing.contains($0) }
                if workload.isTogether {
                    let isOdd = !round.isMultiple(of: 2)
                    measureTogether(workload, isOdd ? rivals.reversed() : rivals, on: servers)
                } else if workload.isBesideLoop {
                    let inTime = rivals.filter { round < 2 || !workload.slow.contains($0) }
                    inTime.forEach { measureBesideLoop(workload, $0, on: servers) }
                } else {
                    let inTime = rivals.filter { round < 2 || !workload.slow.contains($0) }
                    inTime.forEach { measure(workload, $0, on: servers) }
                }
            }
        }
        for workload in group {
            if group.count > 1 { say("  \(workload.name)") }
            workload.rivals.forEach { tell(workload, $0) }
        }
    }

    private func measure(_ workload: Workload, _ rival: RivalName, on servers: Servers) {
        do {
            let run = try Run(command(rival, workload, servers), on: workload.place)
            note(try run.finish(), workload, rival)
        } catch {
            remark("\(workload.name), \(rival.rawValue): \(error)")
        }
    }

    private func measureBesideLoop(
        _ workload: Workload, _ rival: RivalName, on servers: Servers
    ) {
        guard rival != .loop else { return measure(workload, rival, on: servers) }
        do {
            let loop = try Run(command(.loop, workload, servers), on: .clientsCore)
            let run = Result { () throws(BenchError) in
                try Run(command(rival, workload, servers), on: workload.place)
            }
            let beside = try loop.finish()
            let measurement = try run.get().finish()
            note(measurement, workload, rival, beside: beside)
        } catch {
            remark("\(workload.name), \(rival.rawValue): \(error)")
        }
    }

    /// Time passes for all at once; those that do not wait quietly have a core of their own.
    private func measureTogether(_ workload: Workload, _ rivals: [RivalName], on servers: Servers) {
        let copy = workload.isCopied ? ProgramCopy(of: "bench-client", in: programs) : nil
        defer { copy?.remove() }
        let runs = rivals.map { rival in
            (
                rival,
                Result {
                    let command = Command(
                        rival, workload, servers: servers, programs: copy?.folder ?? programs,
                        python: python)
                    return try Run(command, on: rival == .urlSession ? .serversCore : .clientsCore)
                }
            )
        }
        for (rival, run) in runs {
            do {
                note(try run.get().finish(), workload, rival)
            } catch {
                remark("\(workload.name), \(rival.rawValue): \(error)")
            }
        }
    }

    private func command(_ rival: RivalName, _ workload: Workload, _ servers: Servers) -> Command {
        Command(rival, workload, servers: servers, programs: programs, python: python)
    }

    private func note(
        _ measurement: Measurement, _ workload: Workload, _ rival: RivalName,
        beside loop: Measurement? = nil
    ) {
        if measurement.failures > 0 {
            remark("\(workload.name), \(rival.rawValue): \(measurement.failures) requests failed")
        }
        if let loop {
            measurements.note(measurement, workload.name, rival, beside: loop)
        } else {
            measurements.note(measurement, workload.name, rival)
        }
    }

    private func tell(_ workload: Workload, _ rival: RivalName) {
        guard
            let number = measurements.ratios(workload.name, rival, workload.metric, to: .nothing)
        else { return }
        let ratio = measurements.ratios(workload.name, rival, workload.metric, to: .loop)
        let name = rival.rawValue.padding(toLength: 24, withPad: " ", startingAt: 0)
        let times = ratio.map { "  ×\($0.median.short) (\($0.least.short)–\($0.most.short))" } ?? ""
        say("  \(name)\(number.median.short) \(workload.metric.unit)\(times)")
        for target in Target.all where target.workload == workload.name && target.rival == rival {
            tell(target)
        }
    }

    /// What has a target, with whether it is reached.
    private func tell(_ target: Target) {
        guard
            let ratio = measurements.ratios(
                target.workload, target.rival, target.metric, to: target.reference)
        else { return }
        let what = target.metric.text(to: target.reference)
        let spread = "\(ratio.median.short) (\(ratio.least.short)–\(ratio.most.short))"
        say("    \(what): \(spread), \(target.judgement(of: ratio.median))")
    }
}

/// A program's copy in a folder of its own; nil where there is no room for one.
private struct ProgramCopy {
    let folder: URL

    init?(of name: String, in programs: URL) {
        let files = FileManager.default
        folder = files.temporaryDirectory.appending(path: "bench-copy-\(UUID())")
        do {
            try files.createDirectory(at: folder, withIntermediateDirectories: true)
            try files.copyItem(
                at: programs.appending(path: name), to: folder.appending(path: name))
        } catch {
            remove()
            return nil
        }
    }

    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }
}

/// One process, from its start to what it measured.
private struct Run {
    private let command: Command
    private let child: Child

    init(_ command: Command, on place: Cores.Place) throws(BenchError) {
        self.command = command
        try command.prepare()
        let start = { () throws(BenchError) in
            try Child(command.words, environment: command.environment)
        }
        child = try Cores.on(place, start)
    }

    func finish() throws(BenchError) -> Measurement {
        try command.measurement(from: child.finish(), begin: child.begin)
    }
}
