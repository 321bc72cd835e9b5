public import Foundation

extension Recording {
    /// The recording in Chrome's trace event format, for Perfetto's and Chrome's viewers.
    ///
    /// Times are microseconds from the start. Spans on one thread are slices of the thread (B and E). Other spans are
    /// asynchronous (b and e), with the subject as identifier. If two spans of a thread overlap without nesting, the one
    /// that ends first is asynchronous too, with a number of its own as identifier.
    ///
    /// Instants of a transfer, operation, task or request are on its track (n). A block's submission is an empty slice
    /// (X), other instants are on their thread (i). Arrows lead from a block's submission to its run (s and f); a run
    /// that is asynchronous because it overlaps has no f.
    ///
    /// A span that the start, the stop or the capacity of the recording cut off says so in its arguments and extends to
    /// the edge of the trace.
    public func perfettoTrace() throws -> Data {
        var trace = PerfettoTrace(self)
        return Data(trace.bytes())
    }
}

private struct PerfettoTrace {
    private let recording: Recording
    private let trace: TraceSteps
    private var processOfThread: [UInt32: UInt32] = [:]
    private var json = JSONText()

    init(_ recording: Recording) {
        self.recording = recording
        trace = TraceSteps(recording)
        for process in recording.processes {
            for thread in process.threads { processOfThread[thread] = process.number }
        }
    }

    mutating func bytes() -> [UInt8] {
        json.reserve(trace.steps.count * 140 + 1024)
        json.raw(#"{"displayTimeUnit":"ns","otherData":{"dropped":\#(recording.dropped)"#)
        json.raw(#","textsLeftOut":\#(recording.textsLeftOut)"#)
        json.raw(#","start":"\#(Timestamp.text(recording.startDate))"},"traceEvents":["#)
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
        func write(_ kind: String, _ place: String, _ name: String) {
            json.raw(separator + #"{"name":"\#(kind)","ph":"M"\#(place),"args":{"name":"#)
            json.write(name)
            json.raw("}}")
            separator = ",\n"
        }
        for process in recording.processes {
            write("process_name", #","pid":\#(process.number),"tid":0"#, process.name)
        }
        for (thread, name) in recording.threads.sorted(by: { $0.key < $1.key }) {
            write("thread_name", threadFields(thread), name)
        }
    }

    // MARK: Instants

    private mutating func writeInstant(_ step: TraceSteps.Step, flow: Int?) {
        let event = recording.events[step.event]
        if let span = event.kind.spanKindOfInstant, event.subject != 0 {
            writeHead(event, category: span.name, #""n""# + identifier(event.subject))
        } else if event.kind == .queueSubmit {
            // An arrow needs a slice to start from.
            writeHead(event, category: event.kind.name, #""X","dur":0"#)
        } else {
            writeHead(event, category: event.kind.name, #""i","s":"t""#)
        }
        writeTail(event, at: step.time, cut: nil)
        if let flow { writeFlow(flow, #""s""#, event, at: step.time) }
    }

    // MARK: Spans

    private mutating func writeEdge(_ step: TraceSteps.Step, isBegin: Bool, flow: Int?) {
        let span = trace.spans[step.span]
        let event = recording.events[step.event]
        let name = recording.events[span.namingEvent]
        if span.isStacked {
            writeHead(name, category: name.kind.name, isBegin ? #""B""# : #""E""#)
        } else {
            let isOverlapping = name.kind.isOnOneThread
            writeHead(
                name, category: isOverlapping ? "overlapping" : name.kind.name,
                (isBegin ? #""b""# : #""e""#)
                    + identifier(isOverlapping ? UInt64(step.span) : event.subject))
        }
        writeTail(event, at: step.time, cut: span.cut)
        if let flow, span.isStacked { writeFlow(flow, #""f","bp":"e""#, event, at: step.time) }
    }

    // MARK: Arrows

    /// The arrows' numbers. Keys are indices of events: an arrow has an entry for its block's submission, and one for
    /// its run.
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
        _ number: Int, _ phase: String, _ event: Event, at time: UInt64
    ) {
        json.raw(",\n" + #"{"name":"block","cat":"queue","ph":"# + phase)
        json.raw(identifier(UInt64(number)) + threadFields(event.thread) + timeField(time) + "}")
    }

    // MARK: Fields

    /// - Parameter phase: the JSON value of `ph`, followed by further fields such as `"dur":0`.
    private mutating func writeHead(_ event: Event, category: String, _ phase: String) {
        json.raw(",\n" + #"{"name":"#)
        if event.text == .none { json.write(event.kind.name) } else { json.write(event.text) }
        json.raw(#","cat":"\#(category)","ph":"# + phase)
    }

    private mutating func writeTail(_ event: Event, at time: UInt64, cut: TraceSteps.Cut?) {
        json.raw(threadFields(event.thread) + timeField(time))
        json.raw(#","args":{"subject":\#(event.subject),"value":\#(event.value)"#)
        if let cut { json.raw(#","cut":"\#(cut.rawValue)""#) }
        json.raw("}}")
    }

    private func identifier(_ number: UInt64) -> String {
        #","id":"0x\#(String(number, radix: 16))""#
    }

    private func threadFields(_ thread: UInt32) -> String {
        let process = processOfThread[thread] ?? recording.processes.first?.number ?? 0
        return #","pid":\#(process),"tid":\#(thread)"#
    }

    private func timeField(_ time: UInt64) -> String {
        let parts = (time - recording.startTime).quotientAndRemainder(dividingBy: 1000)
        return #","ts":\#(parts.quotient).\#(String(1000 + parts.remainder).dropFirst())"#
    }
}

extension Event.Kind {
    /// The kind of span on whose track an instant of this kind is drawn; nil for none.
    fileprivate var spanKindOfInstant: Event.Kind? {
        switch self {
        case .operationState, .enqueued: .operation
        case .responseHead, .bytesReceived, .bytesSent: .transfer
        case .sessionTaskState: .sessionTask
        case .requestState: .request
        default: nil
        }
    }
}
