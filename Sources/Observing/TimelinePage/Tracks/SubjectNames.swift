import EventRecorder
import Foundation

/// Names a recording's subjects in the order of their first events: "operation 1",
/// "operation 2".
///
/// The exchange of an operation or a task, and the blocks that parse its body or call its handlers,
/// have the operation's name, so that a filter finds them together.
struct SubjectNames {
    private var names: [UInt64: String] = [:]

    init(_ history: RecordedHistory) {
        let owners = Owners(history)
        // The event that creates a subject decides its noun, other events only where that is missing.
        var seen: [(time: UInt64, subject: UInt64, noun: Noun)] = []
        for span in history.spans {
            if let noun = Self.noun(of: span.kind) { seen.append((span.start, span.subject, noun)) }
        }
        for instant in history.instants {
            if let noun = Self.noun(of: instant.kind) {
                seen.append((instant.time, instant.subject, noun))
            }
        }
        var nouns: [UInt64: Noun] = [:]
        for item in seen where item.noun.rank < nouns[item.subject]?.rank ?? .max {
            nouns[item.subject] = item.noun
        }
        var counts: [String: Int] = [:]
        for item in seen.sorted(by: { ($0.time, $0.subject) < ($1.time, $1.subject) })
        where item.subject != 0 && names[item.subject] == nil
            && owners.owner(of: item.subject) == nil
        {
            guard let word = nouns[item.subject]?.word else { continue }
            counts[word, default: 0] += 1
            names[item.subject] = "\(word) \(counts[word, default: 0])"
        }
        for subject in nouns.keys {
            if let owner = owners.owner(of: subject) { names[subject] = names[owner] }
        }
    }

    /// The subject's name; empty for subject 0.
    subscript(_ subject: UInt64) -> String {
        subject == 0 ? "" : names[subject] ?? "subject \(subject)"
    }

    private struct Noun {
        var word: String
        /// Of several nouns, the one with the lowest rank is used.
        var rank: Int
    }

    private static func noun(of kind: Event.Kind) -> Noun? {
        switch kind {
        case .operation: Noun(word: "operation", rank: 0)
        case .sessionTask: Noun(word: "task", rank: 0)
        case .request: Noun(word: "request", rank: 0)
        case .socket: Noun(word: "socket", rank: 0)
        case .transfer: Noun(word: "transfer", rank: 1)
        case .queueRun, .queueSubmit: Noun(word: "block", rank: 0)
        case .serverConnection: Noun(word: "connection", rank: 0)
        case .sessionTaskState: Noun(word: "task", rank: 1)
        case .requestState: Noun(word: "request", rank: 1)
        case .connecting, .handshake: Noun(word: "socket", rank: 1)
        case .responseHead, .bytesReceived, .bytesSent: Noun(word: "transfer", rank: 2)
        case .serverExchange: Noun(word: "connection", rank: 1)
        case .enqueued, .operationState, .lockHold, .lockWait: Noun(word: "operation", rank: 3)
        case .runLoopSleep, .runLoopSource, .runLoopMode, .delegateCall, .callback,
            .serialization, .note:
            nil
        }
    }
}

/// The operation, task or request to which a transfer or a block belongs, and the request to
/// which a task belongs.
struct Owners {
    private var owners: [UInt64: UInt64] = [:]

    init(_ history: RecordedHistory) {
        // Tasks belong to requests, and transfers to tasks or operations.
        adopt(.sessionTask, by: history.spans.filter { $0.kind == .request }, in: history)
        let jobs = history.spans.filter { $0.kind == .operation || $0.kind == .sessionTask }
        adopt(.transfer, by: jobs, in: history)
        let requests = history.spans.filter { $0.kind == .request }
        ownBlocks(of: Set((jobs + requests).map(\.subject)), in: history)
    }

    /// Assigns spans to jobs: a span that begins while a job with the same request runs belongs to it.
    /// Where several such jobs run, each gets one span in turn.
    private mutating func adopt(
        _ kind: Event.Kind, by jobs: [RecordedHistory.Span], in history: RecordedHistory
    ) {
        let numbers = Set(jobs.map(\.subject))
        var free = jobs
        for span in history.spans where span.kind == kind && !numbers.contains(span.subject) {
            let home = free.firstIndex {
                $0.text == span.text && $0.start <= span.start && span.start <= $0.end
            }
            guard let home else { continue }
            owners[span.subject] = free[home].subject
            free.append(free.remove(at: home))
        }
    }

    /// Assigns a block to a job where each call in the block belongs to that job.
    private mutating func ownBlocks(of numbers: Set<UInt64>, in history: RecordedHistory) {
        var blocks: [UInt32: [(subject: UInt64, end: UInt64)]] = [:]
        var strangers: Set<UInt64> = []
        for span in history.spans {
            if span.kind == .queueRun {
                blocks[span.place.thread, default: []].append((span.subject, span.end))
            } else if RecordedHistory.calls.contains(span.kind), numbers.contains(span.subject),
                let block = blocks[span.place.thread]?.last, span.start <= block.end
            {
                let root = owner(of: span.subject) ?? span.subject
                if owners[block.subject] ?? root != root { strangers.insert(block.subject) }
                owners[block.subject] = root
            }
        }
        for block in strangers { owners[block] = nil }
    }

    /// The outermost owner; nil for a subject without one.
    func owner(of subject: UInt64) -> UInt64? {
        var owner: UInt64?
        // A transfer's task and its request: a longer chain is a circle, in a recording that uses numbers twice.
        for _ in 0..<2 {
            guard let next = owners[owner ?? subject] else { break }
            owner = next
        }
        return owner
    }
}

/// The origin of all requests of an era, which the page therefore shows only once.
struct RequestOrigin {
    /// An origin such as "http://127.0.0.1:8080"; nil if there are several, or no requests.
    let common: String?

    /// - Parameter requests: texts with a method and a URL, such as "GET http://127.0.0.1:8080/items".
    init(of requests: some Sequence<String>) {
        let origins = Set(requests.compactMap(Self.origin))
        common = origins.count == 1 ? origins.first : nil
    }

    /// Removes the common origin: "GET http://127.0.0.1:8080/items" becomes "GET /items".
    func removed(from request: String) -> String {
        guard let common, Self.origin(of: request) == common,
            let range = request.range(of: common)
        else { return request }
        return request.replacingCharacters(in: range, with: "")
    }

    private static func origin(of request: String) -> String? {
        guard let scheme = request.range(of: "://"),
            let path = request[scheme.upperBound...].firstIndex(of: "/")
        else { return nil }
        let blank = request[..<scheme.lowerBound].lastIndex(of: " ")
        return String(request[(blank.map(request.index(after:)) ?? request.startIndex)..<path])
    }
}
