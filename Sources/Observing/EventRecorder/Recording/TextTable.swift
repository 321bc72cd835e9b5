import Foundation
import Locking

/// A list of strings, each with a number. The process has one, and each recording retains its own. Texts made while
/// nothing is recorded have lists of their own, of which the latest two are kept. `addWithinLimit` adds up to a limit in bytes; `add`, for fixed texts and
/// recordings that are read, has none.
///
/// ## Concurrency
/// Call from: any thread, under the lock of ``TextTable``; `leftOutCount` also without it, after `TextTable.end()`.
/// Calls out: never.
final class TextList: @unchecked Sendable {
    // @unchecked because the variables change only under the table's lock.

    /// The bytes that a string takes besides its own: its object, and its entries in list and
    /// dictionary.
    private static let overhead = 128

    /// 0 for the process's list, the recording's number for that of a recording made in this process, and `firstOther` or
    /// more for all others.
    let number: UInt32
    private var strings: [String] = []
    private var numbers: [String: UInt32] = [:]
    private var remainingBytes: Int
    private(set) var leftOutCount = 0

    /// - Parameter bytes: the most that the strings of `addWithinLimit` may take.
    init(_ number: UInt32, bytes: Int, first: [String] = [""]) {
        (self.number, remainingBytes) = (number, bytes)
        for string in first { add(string) }
    }

    func text(for string: String) -> EventText? {
        numbers[string].map { EventText(number: $0, of: number) }
    }

    func string(_ number: UInt32) -> String? {
        strings.indices.contains(Int(number)) ? strings[Int(number)] : nil
    }

    /// Adds a new string regardless of the limit.
    @discardableResult
    func add(_ string: String) -> EventText {
        let text = EventText(number: UInt32(strings.count), of: number)
        strings.append(string)
        numbers[string] = text.number
        return text
    }

    func addWithinLimit(_ string: String) -> EventText? {
        let size = string.utf8.count + Self.overhead
        guard size <= remainingBytes else {
            leftOutCount += 1
            return nil
        }
        remainingBytes -= size
        return add(string)
    }
}

/// All strings of events: the process's, those of recordings in memory, of the last one made and the last one read, and
/// those made while nothing was recorded.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lists. Calls out: never.
enum TextTable {
    /// The list of the recording that this task is decoding.
    @TaskLocal static var decoded: TextList?

    enum Owner {
        /// The process, whatever the limit: for the few fixed texts in this package's code.
        case package
        /// The process, for a short string while there is space; otherwise as `recorded`.
        case code
        /// The current recording; while nothing is recorded, the list for that time.
        case recorded
        /// A recording that is read from a file.
        case decoded(TextList)
    }

    private static let lists = Locked(TextLists())

    static func text(for string: String, of owner: Owner) -> EventText {
        // What is in a list was redacted when it was added.
        if let known = lists.withLock({ $0.known(string, owner) }) { return known }
        let redacted = Redaction.text(string)
        return lists.withLock { $0.known(redacted, owner) ?? $0.new(redacted, owner) }
    }

    static func string(of text: EventText) -> String {
        lists.withLock { $0.string(of: text) }
            ?? EventText.named[Int(EventText.gone.number)]
    }

    /// Creates the list of a recording. The list of the one before is released, unless that recording still exists.
    ///
    /// - Parameter bytes: the most that its texts may take.
    static func begin(_ recording: UInt32, bytes: Int) -> TextList {
        // The list before is returned too, so that its strings are freed after unlocking.
        lists.withLock { ($0.begin(recording, bytes), $0.lastRecorded.take()) }.0
    }

    static func end() {
        lists.withLock { $0.lastRecorded = $0.recorded.take() }
    }

    /// Creates a list for a recording that is read from a file. The list that was read before is released, unless its
    /// recording still exists.
    static func beginReading() -> TextList {
        lists.withLock { lists in
            let (list, before) = (lists.make(bytes: 0), lists.lastRead)
            lists.lastRead = list
            return (list, before)
        }.0
    }
}

private struct TextLists {
    /// Limits in bytes: of the process's texts together, of one such text, and of each list of texts made while
    /// nothing is recorded.
    private static let (codeBytes, mostBytes, looseBytes) = (1 << 19, 1 << 14, 1 << 20)
    /// Lists of recordings that were read, and of unrecorded texts, have numbers from here.
    private static let firstOther: UInt32 = 1 << 31

    private struct Weak { weak var list: TextList? }

    private let lasting = TextList(0, bytes: codeBytes, first: EventText.named)
    var recorded: TextList?
    /// The list of texts that are made while nothing is recorded, and the one that was full before
    /// it.
    private var loose, looseBefore: TextList?
    /// The lists of the latest recording that was made and of the latest that was read stay until the next one: a
    /// program may keep events without their recording.
    var lastRecorded, lastRead: TextList?
    private var all: [UInt32: Weak] = [:]
    private var others: UInt32 = 0

    func known(_ string: String, _ owner: TextTable.Owner) -> EventText? {
        switch owner {
        case .decoded(let list): list.text(for: string)
        case .package, .code: lasting.text(for: string)
        case .recorded: (recorded ?? loose)?.text(for: string) ?? lasting.text(for: string)
        }
    }

    mutating func new(_ string: String, _ owner: TextTable.Owner) -> EventText {
        switch owner {
        case .decoded(let list): list.add(string)
        case .package: lasting.add(string)
        case .code:
            (string.utf8.count <= Self.mostBytes ? lasting.addWithinLimit(string) : nil)
                ?? known(string, .recorded) ?? new(string, .recorded)
        case .recorded:
            recorded.map { $0.addWithinLimit(string) ?? .leftOut } ?? looseText(string)
        }
    }

    private mutating func looseText(_ string: String) -> EventText {
        if let text = loose?.addWithinLimit(string) { return text }
        let list = make(bytes: Self.looseBytes)
        (looseBefore, loose) = (loose, list)
        return list.addWithinLimit(string) ?? .leftOut
    }

    func string(of text: EventText) -> String? {
        (text.table == 0 ? lasting : all[text.table]?.list)?.string(text.number)
    }

    mutating func begin(_ recording: UInt32, _ bytes: Int) -> TextList {
        let list = registered(TextList(recording, bytes: bytes))
        recorded = list
        return list
    }

    mutating func make(bytes: Int) -> TextList {
        others = (others + 1) % Self.firstOther
        return registered(TextList(Self.firstOther + others, bytes: bytes))
    }

    private mutating func registered(_ list: TextList) -> TextList {
        all = all.filter { $0.value.list != nil }
        all[list.number] = Weak(list: list)
        return list
    }
}
