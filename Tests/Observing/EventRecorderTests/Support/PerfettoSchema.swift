import Foundation

/// Checks a trace against Chrome's trace event format, field by field.
struct PerfettoSchema {
    private(set) var problems: [String] = []
    private(set) var events: [[String: Any]] = []

    private var stacks: [String: [String]] = [:]
    private var lastTimes: [String: Double] = [:]
    private var openSpans: [String: [String]] = [:]
    private var arrows: [String: Double] = [:]
    private var index = 0

    /// Phase: the fields it must have, besides name, ph, pid and tid, and those it may have.
    private static let fields: [String: (must: Set<String>, may: Set<String>)] = [
        "M": (["args"], []),
        "B": (["ts", "cat", "args"], []),
        "E": (["ts", "cat", "args"], []),
        "X": (["ts", "dur", "cat", "args"], []),
        "i": (["ts", "s", "cat", "args"], []),
        "b": (["ts", "cat", "id", "args"], []),
        "e": (["ts", "cat", "id", "args"], []),
        "n": (["ts", "cat", "id", "args"], []),
        "s": (["ts", "cat", "id"], []),
        "f": (["ts", "cat", "id", "bp"], []),
    ]

    init(_ data: Data) throws {
        guard let object = try JSONSerialization.jsonObject(with: data) as? [String: Any] else {
            problems = ["is no object"]
            return
        }
        expect(object["displayTimeUnit"] as? String == "ns", "has a unit for times")
        expect(object["otherData"] is [String: Any], "has other data")
        expect(Set(object.keys) == ["displayTimeUnit", "otherData", "traceEvents"], "has its keys")
        guard let events = object["traceEvents"] as? [[String: Any]] else {
            problems.append("has no list of events")
            return
        }
        self.events = events
        for (index, event) in events.enumerated() {
            self.index = index
            check(event)
        }
        expect(stacks.values.allSatisfy(\.isEmpty), "ends every slice")
        expect(openSpans.values.allSatisfy(\.isEmpty), "ends every asynchronous span")
        expect(arrows.isEmpty, "ends every arrow")
    }

    private mutating func expect(_ holds: Bool, _ what: String) {
        if !holds { problems.append("event \(index): not so: \(what)") }
    }

    private mutating func check(_ event: [String: Any]) {
        guard let phase = event["ph"] as? String, let fields = Self.fields[phase],
            let name = event["name"] as? String, let process = event["pid"] as? Int,
            let thread = event["tid"] as? Int
        else { return expect(false, "has name, phase, process and thread") }
        let keys = Set(event.keys)
        let must = fields.must.union(["name", "ph", "pid", "tid"])
        expect(keys.isSuperset(of: must), "\(phase) has all of \(must.sorted())")
        expect(keys.isSubset(of: must.union(fields.may)), "\(phase) has no other fields")
        expect(!name.isEmpty, "has a name")
        expect(process >= 0 && thread >= 0, "has numbers of process and thread")
        if keys.contains("cat") {
            expect((event["cat"] as? String)?.isEmpty == false, "has a category")
        }
        if keys.contains("args") { checkArguments(event, phase) }
        if phase == "M" { return checkName(event) }
        let place = "\(process)/\(thread)"
        guard let time = event["ts"] as? Double, time >= 0 else {
            return expect(false, "has a time")
        }
        expect(time >= lastTimes[place] ?? 0, "is not before the event before on its thread")
        lastTimes[place] = time
        checkPhase(phase, name, event, place, time)
    }

    private func isWhole(_ value: Any?) -> Bool { value is Int || value is UInt64 }

    private mutating func checkName(_ event: [String: Any]) {
        let name = event["name"] as? String ?? ""
        expect(["process_name", "thread_name"].contains(name), "names a process or thread")
        let arguments = event["args"] as? [String: Any] ?? [:]
        expect(arguments.count == 1 && arguments["name"] is String, "has the name as argument")
    }

    private mutating func checkArguments(_ event: [String: Any], _ phase: String) {
        guard let arguments = event["args"] as? [String: Any] else {
            return expect(false, "has an object of arguments")
        }
        guard phase != "M" else { return }
        expect(isWhole(arguments["subject"]), "has a subject")
        expect(isWhole(arguments["value"]), "has a value")
        let cut = arguments["cut"]
        expect(cut == nil || ["start", "stop"].contains(cut as? String), "is cut by start or stop")
        expect(Set(arguments.keys).isSubset(of: ["subject", "value", "cut"]), "has its arguments")
    }

    private mutating func checkPhase(
        _ phase: String, _ name: String, _ event: [String: Any], _ place: String, _ time: Double
    ) {
        let category = event["cat"] as? String ?? ""
        let identifier = event["id"] as? String ?? ""
        if ["b", "e", "n", "s", "f"].contains(phase) {
            let digits = identifier.dropFirst(2)
            expect(
                identifier.hasPrefix("0x") && UInt64(digits, radix: 16) != nil, "has an identifier")
        }
        let span = category + identifier
        switch phase {
        case "B": stacks[place, default: []].append(name)
        case "E": expect(stacks[place]?.popLast() == name, "ends the slice that is open")
        case "X": expect((event["dur"] as? Double).map { $0 >= 0 } == true, "has a length")
        case "i": expect(event["s"] as? String == "t", "is a moment of its thread")
        case "b": openSpans[span, default: []].append(name)
        case "e": expect(openSpans[span]?.popLast() == name, "ends the span that is open")
        case "s":
            expect(arrows[identifier] == nil, "is the only arrow of its number")
            arrows[identifier] = time
        case "f":
            expect(event["bp"] as? String == "e", "leads to the slice around it")
            let start = arrows.removeValue(forKey: identifier)
            expect(start.map { $0 <= time } == true, "ends an arrow")
        default: break
        }
    }
}
