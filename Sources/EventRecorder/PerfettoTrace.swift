import Foundation

/// Writes a recording in Chrome's trace event format.
struct PerfettoTrace {
    private let recording: Recording
    private let trace: TraceSteps
    private let processOfThread: [UInt32: UInt32]
    private let firstProcess: UInt32
    private var json = JSONText()

    init(_ recording: Recording) {
        self.recording = recording
        trace = TraceSteps(recording)
        firstProcess = recording.processes.first?.number ?? 0
        var owners: [UInt32: UInt32] = [:]
        for process in recording.processes {
            for thread in process.threads { owners[thread] = process.number }
        }
        processOfThread = owners
    }

    mutating func bytes() -> [UInt8] {
        json.reserve(trace.steps.count * 140 + 1024)
        json.raw("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped\":")
        json.write(recording.dropped)
        json.raw(",\"textsLeftOut\":")
        json.write(recording.textsLeftOut)
        json.raw(",\"start\":")
        json.write(Timestamp.text(recording.startDate))
        json.raw("},\"traceEvents\":[")
        writeNames()
        let flows = flows()
        for step in trace.steps {
            switch step.phase {
            case .instant: writeInstant(step, flow: flows[step.event])
            case .begin: writeEdge(step, isBegin: true, flow: flows[step.event])
            case .end: writeEdge(step, isBegin: false, flow: nil)
            }
        }
        json.raw("\n]}\n")
        return json.bytes
    }

    // MARK: Names of processes and threads

    private mutating func writeNames() {
        var separator = "\n"
        for process in recording.processes {
            json.raw(separator)
            separator = ",\n"
            json.raw("{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":")
            json.write(process.number)
            json.raw(",\"tid\":0")
            writeName(process.name)
        }
        for (thread, name) in recording.threads.sorted(by: { $0.key < $1.key }) {
            json.raw(separator)
            separator = ",\n"
            json.raw("{\"name\":\"thread_name\",\"ph\":\"M\"")
            writePlace(thread)
            writeName(name)
        }
    }

    private mutating func writeName(_ name: String) {
        json.raw(",\"args\":{\"name\":")
        json.write(name)
        json.raw("}}")
    }

    // MARK: Moments

    private mutating func writeInstant(_ step: TraceSteps.Step, flow: Int?) {
        let event = recording.events[step.event]
        if let span = event.kind.spanOfMoment, event.subject != 0 {
            writeHead(event, category: span.name)
            json.raw("\"n\"")
            writeIdentifier(event.subject)
        } else if event.kind == .queueSubmit {
            // An arrow needs a slice to start from.
            writeHead(event, category: event.kind.name)
            json.raw("\"X\",\"dur\":0")
        } else {
            writeHead(event, category: event.kind.name)
            json.raw("\"i\",\"s\":\"t\"")
        }
        writePlace(event.thread)
        writeTime(step.time)
        writeArguments(event, cut: nil)
        if let flow { writeFlow(flow, isStart: true, event, at: step.time) }
    }

    // MARK: Spans

    private mutating func writeEdge(_ step: TraceSteps.Step, isBegin: Bool, flow: Int?) {
        let span = trace.spans[step.span]
        let event = recording.events[step.event]
        let name = recording.events[span.name]
        if span.isStacked {
            writeHead(name, category: name.kind.name)
            json.raw(isBegin ? "\"B\"" : "\"E\"")
        } else if name.kind.isOnOneThread {
            writeHead(name, category: "overlapping")
            json.raw(isBegin ? "\"b\"" : "\"e\"")
            writeIdentifier(UInt64(step.span))
        } else {
            writeHead(name, category: name.kind.name)
            json.raw(isBegin ? "\"b\"" : "\"e\"")
            writeIdentifier(event.subject)
        }
        writePlace(event.thread)
        writeTime(step.time)
        writeArguments(event, cut: span.cut)
        if let flow, span.isStacked { writeFlow(flow, isStart: false, event, at: step.time) }
    }

    // MARK: Arrows

    /// The submission of a block and its run, by the places of both events: the arrow's number.
    private func flows() -> [Int: Int] {
        var submissions: [UInt64: Int] = [:]
        var flows: [Int: Int] = [:]
        for (index, event) in recording.events.enumerated() where event.subject != 0 {
            if event.kind == .queueSubmit {
                submissions[event.subject] = index
            } else if event.kind == .queueRun, event.phase == .begin,
                let submission = submissions.removeValue(forKey: event.subject)
            {
                flows[submission] = submission
                flows[index] = submission
            }
        }
        return flows
    }

    private mutating func writeFlow(
        _ number: Int, isStart: Bool, _ event: Event, at time: UInt64
    ) {
        json.raw(",\n{\"name\":\"block\",\"cat\":\"queue\",\"ph\":")
        json.raw(isStart ? "\"s\"" : "\"f\",\"bp\":\"e\"")
        writeIdentifier(UInt64(number))
        writePlace(event.thread)
        writeTime(time)
        json.raw("}")
    }

    // MARK: Fields

    private mutating func writeHead(_ event: Event, category: String) {
        json.raw(",\n{\"name\":")
        if event.text == .none { json.write(event.kind.name) } else { json.write(event.text) }
        json.raw(",\"cat\":\"")
        json.raw(category)
        json.raw("\",\"ph\":")
    }

    private mutating func writeIdentifier(_ number: UInt64) {
        json.raw(",\"id\":\"0x")
        json.raw(String(number, radix: 16))
        json.raw("\"")
    }

    private mutating func writePlace(_ thread: UInt32) {
        json.raw(",\"pid\":")
        json.write(processOfThread[thread] ?? firstProcess)
        json.raw(",\"tid\":")
        json.write(thread)
    }

    private mutating func writeTime(_ time: UInt64) {
        json.raw(",\"ts\":")
        json.writeMicroseconds(time - recording.startTime)
    }

    private mutating func writeArguments(_ event: Event, cut: TraceSteps.Cut?) {
        json.raw(",\"args\":{\"subject\":")
        json.write(event.subject)
        json.raw(",\"value\":")
        json.write(event.value)
        if let cut {
            json.raw(",\"cut\":")
            json.write(cut.rawValue)
        }
        json.raw("}}")
    }
}

extension Event.Kind {
    /// The span of the same subject in which a moment lies.
    fileprivate var spanOfMoment: Event.Kind? {
        switch self {
        case .operationState, .enqueued: .operation
        case .responseHead, .bytesReceived, .bytesSent: .transfer
        case .sessionTaskState: .sessionTask
        default: nil
        }
    }
}
