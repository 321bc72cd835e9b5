import Foundation

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
/// Call from: any thread. Lock: `lock`. Calls out: never.
final class TextTable: @unchecked Sendable {
    // @unchecked because all variables are used under `lock` alone.
    static let shared = TextTable()

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

    /// The bytes of the process's texts, of one of them, and of those made while nothing is recorded.
    private static let (codeBytes, mostBytes, looseBytes) = (1 << 19, 1 << 14, 1 << 20)
    /// Lists that are not of the recorder's recordings have numbers behind theirs.
    private static let firstOther: UInt32 = 1 << 31

    private struct Weak { weak var list: TextList? }

    private let lock = NSLock()

    // MARK: Guarded by lock

    private let lasting = TextList(0, bytes: codeBytes, first: EventText.named)
    private var recorded: TextList?
    /// The list for texts that are made while nothing is recorded, and the one that was full before it.
    private var loose, looseBefore: TextList?
    /// The lists of the last recordings stay: somebody may hold their events, but not the recording.
    private var lastRecorded, lastRead: TextList?
    /// All lists that somebody holds.
    private var lists: [UInt32: Weak] = [:]
    private var others: UInt32 = 0

    // MARK: Texts

    func text(for string: String, of owner: Owner) -> EventText {
        // What is known was redacted before.
        if let known = lock.withLock({ known(string, owner) }) { return known }
        let redacted = Redaction.text(string)
        return lock.withLock { known(redacted, owner) ?? new(redacted, owner) }
    }

    private func known(_ string: String, _ owner: Owner) -> EventText? {
        switch owner {
        case .read(let list): list.text(for: string)
        case .package, .code: lasting.text(for: string)
        case .recorded: (recorded ?? loose)?.text(for: string) ?? lasting.text(for: string)
        }
    }

    private func new(_ string: String, _ owner: Owner) -> EventText {
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

    private func looseText(_ string: String) -> EventText {
        if let text = loose?.addIfRoom(string) { return text }
        let list = makeList(bytes: Self.looseBytes)
        (looseBefore, loose) = (loose, list)
        return list.addIfRoom(string) ?? .leftOut
    }

    func string(of text: EventText) -> String {
        lock.withLock {
            let list = text.table == 0 ? lasting : lists[text.table]?.list
            return list?.string(text.number) ?? EventText.named[Int(EventText.gone.number)]
        }
    }

    // MARK: Recordings

    /// Makes the list of a recording; that of the one before goes, unless somebody holds it.
    ///
    /// - Parameter bytes: the most that its texts may take.
    func begin(_ recording: UInt32, bytes: Int) -> TextList {
        // What goes, goes where the lock is not held.
        let (list, _) = lock.withLock {
            let list = registered(TextList(recording, bytes: bytes))
            recorded = list
            return (list, lastRecorded.take())
        }
        return list
    }

    func end() {
        lock.withLock { lastRecorded = recorded.take() }
    }

    /// Makes a list for a recording that is read; that of the one before goes, unless somebody holds it.
    func beginReading() -> TextList {
        let (list, _) = lock.withLock {
            let (list, before) = (makeList(bytes: 0), lastRead)
            lastRead = list
            return (list, before)
        }
        return list
    }

    private func makeList(bytes: Int) -> TextList {
        others = (others + 1) % Self.firstOther
        return registered(TextList(Self.firstOther + others, bytes: bytes))
    }

    private func registered(_ list: TextList) -> TextList {
        lists = lists.filter { $0.value.list != nil }
        lists[list.number] = Weak(list: list)
        return list
    }
}
