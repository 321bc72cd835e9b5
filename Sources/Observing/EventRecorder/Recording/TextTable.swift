import Foundation
import Locking

/// Strings by their numbers, up to a number of bytes: the process's, or a recording's, which holds them.
///
/// ## Concurrency
/// Call from: any thread, under the lock of ``TextTable``. Calls out: never.
final class TextList: @unchecked Sendable {
    // @unchecked because the variables are used under the table's lock alone.

    /// What a string takes besides its own bytes: its head, and its places in list and dictionary.
    private static let overhead = 128

    /// 0 for the process's.
    let number: UInt32
    private var strings: [String] = []
    private var numbers: [String: UInt32] = [:]
    private var room: Int
    /// How many times there was no room.
    private(set) var leftOutCount = 0

    /// - Parameter bytes: the most that all may take but the first ones.
    init(_ number: UInt32, bytes: Int, first: [String] = [""]) {
        (self.number, room) = (number, bytes)
        for string in first { add(string) }
    }

    func text(for string: String) -> EventText? {
        numbers[string].map { EventText(number: $0, of: number) }
    }

    func string(_ number: UInt32) -> String? {
        strings.indices.contains(Int(number)) ? strings[Int(number)] : nil
    }

    /// Keeps a string that is new, whatever room there is.
    @discardableResult
    func add(_ string: String) -> EventText {
        let text = EventText(number: UInt32(strings.count), of: number)
        strings.append(string)
        numbers[string] = text.number
        return text
    }

    /// Keeps a string that is new, if there is room.
    func addIfRoom(_ string: String) -> EventText? {
        let size = string.utf8.count + Self.overhead
        guard size <= room else {
            leftOutCount += 1
            return nil
        }
        room -= size
        return add(string)
    }
}

/// All strings of events: the process's, and those of recordings as long as these are there.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around the lists. Calls out: never.
enum TextTable {
    /// The list of the recording that this task decodes.
    @TaskLocal static var decoded: TextList?

    /// Whose a text is to be.
    enum Owner {
        /// The process's: this package's own, of which there are few.
        case package
        /// The process's while there is room for it, then as the next.
        case code
        /// That of the recording that is made.
        case recorded
        /// That of a recording that is read.
        case read(TextList)
    }

    private static let lists = Locked(TextLists())

    static func text(for string: String, of owner: Owner) -> EventText {
        // What is known was redacted before.
        if let known = lists.withLock({ $0.known(string, owner) }) { return known }
        let redacted = Redaction.text(string)
        return lists.withLock { $0.known(redacted, owner) ?? $0.new(redacted, owner) }
    }

    static func string(of text: EventText) -> String {
        lists.withLock { $0.string(of: text) }
            ?? EventText.named[Int(EventText.gone.number)]
    }

    /// Makes the list of a recording; that of the one before goes, unless somebody holds it.
    ///
    /// - Parameter bytes: the most that its texts may take.
    static func begin(_ recording: UInt32, bytes: Int) -> TextList {
        // What goes, goes where the lock is not held.
        lists.withLock { ($0.begin(recording, bytes), $0.lastRecorded.take()) }.0
    }

    static func end() {
        lists.withLock { $0.lastRecorded = $0.recorded.take() }
    }

    /// Makes a list for a recording that is read; that of the one before goes, unless somebody holds it.
    static func beginReading() -> TextList {
        lists.withLock { lists in
            let (list, before) = (lists.make(bytes: 0), lists.lastRead)
            lists.lastRead = list
            return (list, before)
        }.0
    }
}

private struct TextLists {
    /// The bytes of the process's texts, of one of them, and of those made while nothing is recorded.
    private static let (codeBytes, mostBytes, looseBytes) = (1 << 19, 1 << 14, 1 << 20)
    /// Lists that are not of the recorder's recordings have numbers behind theirs.
    private static let firstOther: UInt32 = 1 << 31

    private struct Weak { weak var list: TextList? }

    private let lasting = TextList(0, bytes: codeBytes, first: EventText.named)
    var recorded: TextList?
    /// The list for texts that are made while nothing is recorded, and the one that was full before it.
    private var loose, looseBefore: TextList?
    /// The lists of the last recordings stay: somebody may hold their events, but not the recording.
    var lastRecorded, lastRead: TextList?
    /// All lists that somebody holds.
    private var all: [UInt32: Weak] = [:]
    private var others: UInt32 = 0

    func known(_ string: String, _ owner: TextTable.Owner) -> EventText? {
        switch owner {
        case .read(let list): list.text(for: string)
        case .package, .code: lasting.text(for: string)
        case .recorded: (recorded ?? loose)?.text(for: string) ?? lasting.text(for: string)
        }
    }

    mutating func new(_ string: String, _ owner: TextTable.Owner) -> EventText {
        switch owner {
        case .read(let list): list.add(string)
        case .package: lasting.add(string)
        case .code:
            (string.utf8.count <= Self.mostBytes ? lasting.addIfRoom(string) : nil)
                ?? known(string, .recorded) ?? new(string, .recorded)
        case .recorded:
            recorded.map { $0.addIfRoom(string) ?? .leftOut } ?? looseText(string)
        }
    }

    private mutating func looseText(_ string: String) -> EventText {
        if let text = loose?.addIfRoom(string) { return text }
        let list = make(bytes: Self.looseBytes)
        (looseBefore, loose) = (loose, list)
        return list.addIfRoom(string) ?? .leftOut
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
