import Foundation

/// A request's method and address, not yet one string.
struct RequestLine: Hashable {
    let method: String
    let address: String
}

/// Strings by their numbers, up to a number of bytes.
struct TextList {
    let first: UInt32
    private(set) var strings: [String] = []
    private var numbers: [String: UInt32] = [:]
    private var room: Int

    /// What a string takes besides its own bytes: its head, and its places in list and dictionary.
    private static let overhead = 128

    init(from first: UInt32, bytes: Int) {
        self.first = first
        room = bytes
    }

    func number(of string: String) -> UInt32? { numbers[string] }

    /// The string's number, if it is known or there is room, so many bytes left over.
    mutating func keep(_ string: String, leaving bytes: Int = 0) -> UInt32? {
        if let known = numbers[string] { return known }
        let size = string.utf8.count + Self.overhead
        guard size + bytes <= room else { return nil }
        room -= size
        let number = first + UInt32(strings.count)
        strings.append(string)
        numbers[string] = number
        return number
    }
}

/// All strings of events: the process's, and those of recordings as long as these are there.
///
/// ## Concurrency
/// Call from: any thread. Lock: `lock`. Calls out: never.
final class TextTable: @unchecked Sendable {
    // @unchecked because all variables are used under `lock` alone.
    static let shared = TextTable()

    /// Numbers below it are of the process's texts, of which there are no more.
    static let lastingLimit: UInt32 = 1 << 12
    /// The bytes of all of them, and of the longest.
    private static let (lastingBytes, longestLasting) = (1 << 20, 1 << 14)
    /// Of both, what is left to the package's own fixed texts.
    private static let (fixedCount, fixedBytes) = (1 << 9, 1 << 17)

    private let lock = NSLock()

    // MARK: Guarded by lock

    private var lasting: TextList = {
        var list = TextList(from: 0, bytes: lastingBytes)
        for word in EventText.named { _ = list.keep(word) }
        return list
    }()
    private var recorded: (number: UInt32, texts: TextList, leftOut: Int)?
    /// Made while nothing is recorded, where the process's have no room; the one that was full before is
    /// among the kept ones.
    private var loose: (number: UInt32, texts: TextList)?
    private var looseBefore: UInt32 = 0
    /// Of recordings that are over, and of those that were read.
    private var kept: [UInt32: KeptStrings] = [:]
    /// The last one's strings stay although nobody may hold it, for its events may be looked at still.
    private var last: (recorded: UInt32, read: UInt32) = (0, 0)
    private var reads: UInt32 = 0
    /// Of the last requests without a secret.
    private var requests: [RequestLine: EventText] = [:]
    /// The one that was asked for last is mostly asked for again.
    private var lastRequest: (line: RequestLine, text: EventText)?

    private static let (mostRequests, longestRequest) = (1 << 10, 1 << 11)
    /// Behind all numbers of recordings.
    private static let firstRead: UInt32 = 1 << 31

    // MARK: Making texts

    /// Puts together and redacts only what it does not know.
    func text(of request: RequestLine) -> EventText {
        if let text = lock.withLock({ known(request) }) { return text }
        let whole = request.method + " " + request.address
        let redacted = Redaction.text(whole)
        return lock.withLock {
            let text = recordedText(redacted)
            guard let recorded, text.table == recorded.number, redacted == whole,
                whole.utf8.count <= Self.longestRequest
            else { return text }
            if requests.count == Self.mostRequests { requests.removeAll(keepingCapacity: true) }
            requests[request] = text
            return text
        }
    }

    private func known(_ request: RequestLine) -> EventText? {
        if let lastRequest, lastRequest.line == request { return lastRequest.text }
        guard let text = requests[request] else { return nil }
        lastRequest = (request, text)
        return text
    }

    /// One of the recording's, unless it is the process's already.
    func recordedText(for string: String) -> EventText {
        // What is known was redacted before, and would stay as it is.
        if let text = lock.withLock({ known(string) }) { return text }
        let redacted = Redaction.text(string)
        return lock.withLock { recordedText(redacted) }
    }

    private func known(_ string: String) -> EventText? {
        if let number = lasting.number(of: string) { return EventText(number: number) }
        guard let recorded, let number = recorded.texts.number(of: string) else { return nil }
        return EventText(number: number, of: recorded.number)
    }

    private func recordedText(_ string: String) -> EventText {
        if let number = lasting.number(of: string) { return EventText(number: number) }
        guard let recording = recorded?.number else {
            return lastingText(string) ?? looseText(string)
        }
        if let number = recorded?.texts.keep(string) {
            return EventText(number: number, of: recording)
        }
        recorded?.leftOut += 1
        return .leftOut
    }

    /// One of the process's while there is room for them, then one of the recording's.
    func lastingText(for string: String) -> EventText {
        if let number = lock.withLock({ lasting.number(of: string) }) {
            return EventText(number: number)
        }
        let redacted = Redaction.text(string)
        return lock.withLock { lastingText(redacted) ?? recordedText(redacted) }
    }

    private func lastingText(_ string: String) -> EventText? {
        if let number = lasting.number(of: string) { return EventText(number: number) }
        guard lasting.strings.count < Int(Self.lastingLimit) - Self.fixedCount,
            string.utf8.count <= Self.longestLasting
        else { return nil }
        return lasting.keep(string, leaving: Self.fixedBytes).map { EventText(number: $0) }
    }

    /// One of the process's, for which there is room whatever else was named.
    func fixedText(for string: String) -> EventText {
        lock.withLock {
            guard lasting.strings.count < Int(Self.lastingLimit) else { return .leftOut }
            return lasting.keep(string).map { EventText(number: $0) } ?? .leftOut
        }
    }

    /// The last ones stay: when there is no more room, those go that the room before was used up with.
    private func looseText(_ string: String) -> EventText {
        if let table = loose?.number, let number = loose?.texts.keep(string) {
            return EventText(number: number, of: table)
        }
        kept[looseBefore] = nil
        if let loose {
            kept[loose.number] = KeptStrings(strings: loose.texts.strings)
            looseBefore = loose.number
        }
        let table = nextRead()
        loose = (table, TextList(from: Self.lastingLimit, bytes: Self.lastingBytes))
        guard let number = loose?.texts.keep(string) else { return .leftOut }
        return EventText(number: number, of: table)
    }

    // MARK: Reading them

    func string(of text: EventText) -> String {
        lock.withLock {
            if text.table == 0 { return Self.string(text.number, in: lasting.strings, from: 0) }
            let strings =
                switch text.table {
                case recorded?.number: recorded?.texts.strings
                case loose?.number: loose?.texts.strings
                default: kept[text.table]?.strings
                }
            return Self.string(text.number, in: strings ?? [], from: Self.lastingLimit)
        }
    }

    private static func string(
        _ number: UInt32, in strings: [String], from first: UInt32
    ) -> String {
        let place = Int(number) - Int(first)
        return strings.indices.contains(place)
            ? strings[place] : EventText.named[Int(EventText.gone.number)]
    }

    // MARK: Recordings

    /// The texts of a recording; those of the one before go, unless somebody holds it.
    ///
    /// - Parameter bytes: the most that its texts may take.
    func begin(_ recording: UInt32, bytes: Int) {
        let gone = lock.withLock {
            recorded = (recording, TextList(from: Self.lastingLimit, bytes: bytes), 0)
            defer { last.recorded = 0 }
            return unheld(last.recorded)
        }
        withExtendedLifetime(gone) {}
    }

    /// Ends it.
    ///
    /// - Returns: what keeps its texts, and how many times one was left out.
    func end() -> (HeldTexts, leftOut: Int) {
        let (number, leftOut, gone) = lock.withLock {
            let ended = recorded.take()
            let number = ended?.number ?? 0
            kept[number] = KeptStrings(strings: ended?.texts.strings ?? [])
            last.recorded = number
            let gone = (ended, requests, lastRequest)
            requests = [:]
            lastRequest = nil
            return (number, ended?.leftOut ?? 0, gone)
        }
        withExtendedLifetime(gone) {}
        return (HeldTexts(of: number, in: self), leftOut)
    }

    /// A number for texts that are about to be read.
    func beginReading() -> UInt32 {
        lock.withLock { nextRead() }
    }

    private func nextRead() -> UInt32 {
        reads = (reads + 1) % Self.firstRead
        return Self.firstRead + reads
    }

    /// - Returns: what keeps them.
    func end(reading number: UInt32, _ strings: [String]) -> HeldTexts {
        let gone = lock.withLock {
            kept[number] = KeptStrings(strings: strings)
            defer { last.read = number }
            return unheld(last.read)
        }
        withExtendedLifetime(gone) {}
        return HeldTexts(of: number, in: self)
    }

    /// Nobody holds a recording any more.
    func letGo(_ number: UInt32) {
        let gone = lock.withLock {
            kept[number]?.isHeld = false
            return number == last.recorded || number == last.read ? nil : unheld(number)
        }
        withExtendedLifetime(gone) {}
    }

    /// Takes away what nobody holds; it goes where the lock is not held.
    private func unheld(_ number: UInt32) -> KeptStrings? {
        kept[number]?.isHeld == false ? kept.removeValue(forKey: number) : nil
    }
}

/// The strings of one recording.
private struct KeptStrings {
    let strings: [String]
    var isHeld = true
}
