import Synchronization

/// An event as it is kept until the recording stops: 16 bytes, where its numbers are small.
///
/// Little memory is what makes a recording cheap: each new line of it costs more than the rest of an
/// event, for it takes another one's place in the processor's cache. So times and subjects are counted
/// from the recording's start, and a span that is soon over is kept as its beginning and its length.
/// An event whose numbers are too large for that takes three slots. Behind the end of an exchange stand
/// its numbers.
struct StoredEvent: ~Copyable {
    /// Ticks since the start in bits 0 to 43. The others are, of a span on one thread that is over, its
    /// length and one more; of an exchange's end, the slots of its numbers; of all else the value's
    /// bits from 12 on. Who stops a recording may read while the thread ends a span.
    private let timing: Atomic<UInt64>
    /// Subject in bits 0 to 27, kind in 28 to 33, phase in 34 and 35, value in 36 to 47, text in 48
    /// to 63; or only kind and phase, and `isWide` as the subject.
    private let rest: UInt64

    private static let timeBits: UInt64 = 44
    private static let subjectBits: UInt64 = 28
    private static let kindBit: UInt64 = 28
    private static let phaseBit: UInt64 = 34
    private static let valueBit: UInt64 = 36
    private static let valueBits: UInt64 = 12
    private static let textBit: UInt64 = 48
    private static let textBits: UInt64 = 16

    /// The ticks of the longest span that is kept as one event.
    static let longest: UInt64 = 1 << 20 - 2
    /// Slots that an event takes which does not fit into one.
    static let wideCount = 3
    private static let isWide: UInt64 = 1 << subjectBits - 1

    /// What times and subjects are counted from.
    struct Origin {
        var time: UInt64 = 0
        /// So far below the next number that some older ones fit too.
        var subject: UInt64 = 0
        /// Whose texts have the numbers in slots; another recording's take three.
        var recording: UInt32 = 0

        init(time: UInt64 = 0, subject: UInt64 = 0, recording: UInt32 = 0) {
            self.time = time
            self.subject = subject
            self.recording = recording
        }

        init(time: UInt64, nextNumber: UInt64) {
            self.time = time
            subject = nextNumber &- 1 << 26
        }
    }

    /// Kind and phase, as they are kept.
    struct Shape {
        fileprivate let bits: UInt64

        @inline(__always)
        init(_ kind: Event.Kind, _ phase: Event.Phase) {
            bits = UInt64(kind.rawValue) << kindBit | UInt64(phase.rawValue) << phaseBit
        }

        fileprivate init(bits: UInt64) { self.bits = bits }

        /// The end of a transfer, with its numbers behind it.
        static var exchange: Shape {
            @inline(__always) get {
                Shape(
                    bits: UInt64(Event.Kind.transfer.rawValue) << kindBit | isExchange << phaseBit)
            }
        }

        /// The beginning or end of an operation, and as its value the number of the edge that makes it.
        @inline(__always)
        static func move(_ phase: Event.Phase) -> Shape {
            Shape(bits: isMove << kindBit | UInt64(phase.rawValue) << phaseBit)
        }

        private static let isExchange: UInt64 = 3
        /// Behind all kinds.
        private static let isMove: UInt64 = 0x3F

        /// The kinds whose spans may be one event.
        private static let short = Event.Kind.allCases.reduce(UInt64(0)) {
            $1.isOnOneThread ? $0 | 1 << UInt64($1.rawValue) : $0
        }

        /// Whether a length may stand in the bits of a long value.
        var hasLength: Bool {
            bits >> phaseBit & 3 == UInt64(Event.Phase.begin.rawValue)
                && Self.short >> (bits >> kindBit & 0x3F) & 1 == 1
        }

        var isExchange: Bool { bits >> phaseBit & 3 == Self.isExchange }
        var isMove: Bool { bits >> kindBit & 0x3F == Self.isMove }
        var kind: Event.Kind? {
            isMove ? .operation : Event.Kind(rawValue: UInt16(bits >> kindBit & 0x3F))
        }
        var phase: Event.Phase? {
            isExchange ? .end : Event.Phase(rawValue: UInt8(bits >> phaseBit & 3))
        }
    }

    /// Nil where the numbers are too large.
    ///
    /// - Parameter numbers: the slots of an exchange's numbers, if it is one's end.
    @inline(__always)
    init?(
        _ shape: Shape, _ subject: UInt64, _ value: Int64, _ text: EventText, at time: UInt64,
        numbers: Int = 0, from origin: Origin
    ) {
        let ticks = time &- origin.time
        let near = subject == 0 ? 0 : subject &- origin.subject
        let value = UInt64(bitPattern: value)
        let high = value >> Self.valueBits
        let excess =
            ticks >> Self.timeBits | near >> (Self.subjectBits - 1)
            | UInt64(text.number) >> Self.textBits | high >> (64 - Self.timeBits)
        guard excess == 0, near != 0 || subject == 0, text.isOf(origin.recording),
            high == 0 || numbers == 0 && !shape.hasLength
        else { return nil }
        timing = Atomic(ticks | (UInt64(numbers) | high) << Self.timeBits)
        let low = value & (1 << Self.valueBits - 1)
        rest = near | shape.bits | low << Self.valueBit | UInt64(text.number) << Self.textBit
    }

    /// The same with fewer questions: nil also for numbers that are only not small.
    @inline(__always)
    init?(
        small shape: Shape, _ subject: UInt64, _ value: Int64, _ text: EventText, at time: UInt64,
        from origin: Origin
    ) {
        let ticks = time &- origin.time
        let near = subject &- origin.subject
        let value = UInt64(bitPattern: value)
        let excess =
            ticks >> Self.timeBits | (near &- 1) >> (Self.subjectBits - 1)
            | UInt64(text.number) >> Self.textBits | value >> Self.valueBits
        guard excess == 0, text.isOf(origin.recording) else { return nil }
        timing = Atomic(ticks)
        rest = near | shape.bits | value << Self.valueBit | UInt64(text.number) << Self.textBit
    }

    private init(_ first: UInt64, _ second: UInt64) {
        timing = Atomic(first)
        rest = second
    }

    /// Fills three slots.
    ///
    /// - Parameters:
    ///   - isInNanoseconds: whether its time is of the monotonic clock.
    ///   - numbers: the slots of an exchange's numbers, if it is one's end.
    @inline(never)
    static func writeWide(
        _ event: Event, isInNanoseconds: Bool = false, numbers: UInt64 = 0, to slots: EventLog.Slot
    ) {
        let shape = numbers > 0 ? Shape.exchange : Shape(event.kind, event.phase)
        slots.initialize(
            to: StoredEvent(
                (isInNanoseconds ? 1 : 0) | numbers << timeBits, isWide | shape.bits))
        (slots + 1).initialize(to: StoredEvent(event.time, event.subject))
        (slots + 2).initialize(
            to: StoredEvent(
                UInt64(bitPattern: event.value),
                UInt64(event.text.table) << 32 | UInt64(event.text.number)))
    }

    /// Makes the beginning of a span the whole of it.
    ///
    /// - Parameter ticks: the span's.
    /// - Returns: whether it is short enough for that, and takes one slot.
    @inline(__always)
    func end(after ticks: UInt64) -> Bool {
        guard ticks <= Self.longest, !isWide else { return false }
        let begin = timing.load(ordering: .relaxed)
        timing.store(begin | (ticks + 1) << Self.timeBits, ordering: .relaxed)
        return true
    }

    // MARK: Reading

    /// How many slots it takes.
    var count: Int {
        let first = isWide ? Self.wideCount : 1
        guard Shape(bits: rest).isExchange else { return first }
        return first + Int(timing.load(ordering: .relaxed) >> Self.timeBits)
    }

    private var isWide: Bool { rest & Self.isWide == Self.isWide }

    /// What stands in a slot, without what is folded into it.
    static func event(
        _ slots: EventLog.Slot, _ thread: UInt32, _ origin: Origin
    ) -> Event? {
        let rest = slots.pointee.rest
        let shape = Shape(bits: rest)
        guard let kind = shape.kind, let phase = shape.phase else { return nil }
        var event = Event(time: 0, thread: thread, kind: kind, phase: phase)
        if slots.pointee.isWide {
            event.time = slots[1].timing.load(ordering: .relaxed)
            event.subject = slots[1].rest
            event.value = Int64(bitPattern: slots[2].timing.load(ordering: .relaxed))
            let text = slots[2].rest
            event.text = EventText(
                number: UInt32(truncatingIfNeeded: text), of: UInt32(text >> 32))
        } else {
            let timing = slots.pointee.timing.load(ordering: .relaxed)
            let subject = rest & isWide
            event.time = origin.time &+ (timing & (1 << timeBits - 1))
            event.subject = subject == 0 ? 0 : subject &+ origin.subject
            event.value = Int64(rest >> valueBit & (1 << valueBits - 1))
            event.text = EventText(number: UInt32(rest >> textBit), in: origin.recording)
        }
        return event
    }

    /// What stands in a slot, in ticks.
    enum Unfolded {
        case event(Event)
        /// A span's beginning and end, or an operation's edge and its beginning or end.
        case two(Event, Event)
        case exchange(StoredExchange)
    }

    static func unfolded(
        _ slots: EventLog.Slot, _ thread: UInt32, _ origin: Origin, _ scale: TickScale
    ) -> Unfolded? {
        guard var event = event(slots, thread, origin) else { return nil }
        let shape = Shape(bits: slots.pointee.rest)
        let timing = slots.pointee.timing.load(ordering: .relaxed)
        let high = timing >> timeBits
        if slots.pointee.isWide {
            if timing & 1 == 1 { event.time = scale.ticks(event.time) }
            return shape.isExchange
                ? .exchange(StoredExchange(event, slots + wideCount, high, origin.recording))
                : .event(event)
        }
        if shape.isMove {
            let (edge, operation) = StateEdge.unfolded(event)
            return .two(edge, operation)
        }
        if shape.isExchange {
            return .exchange(StoredExchange(event, slots + 1, high, origin.recording))
        }
        guard shape.hasLength else {
            event.value |= Int64(high << valueBits)
            return .event(event)
        }
        guard high > 0 else { return .event(event) }
        var end = event
        end.phase = .end
        end.time += high - 1
        return .two(event, end)
    }
}
