extension Recording {
    /// This recording and another one from the same machine, on one timeline.
    ///
    /// Subjects of the other are renumbered, also where a transfer or an exchange has its socket's number. A thread's
    /// or process's id that occurs here too (the kernel reuses ids) is replaced by one that the kernel never assigns.
    public func merging(_ other: Recording) -> Recording {
        guard !other.isNothing else { return self }
        guard !isNothing else { return other }
        var result = self
        let processNumbers = Self.numbers(
            other.processes.map(\.number), besides: Set(processes.map(\.number)))
        let otherThreads = other.allThreads
        let threadNumbers = Self.numbers(otherThreads.sorted(), besides: allThreads)
        let offset = highestSubject

        for var event in other.events {
            if let thread = other.measuredThread(event) {
                event.subject = UInt64(threadNumbers[thread] ?? thread)
            } else if event.subject != 0 {
                event.subject &+= offset
            }
            if let socket = Self.socket(of: event) {
                event.value = Int64(truncatingIfNeeded: socket &+ offset)
            }
            event.thread = threadNumbers[event.thread] ?? event.thread
            result.events.append(event)
        }
        result.orderEvents()
        for (thread, name) in other.threads {
            result.threads[threadNumbers[thread] ?? thread] = name
        }
        let namedThreads = other.processes.reduce(into: Set<UInt32>()) { $0.formUnion($1.threads) }
        for (index, process) in other.processes.enumerated() {
            // The first process of a recording has the threads that no other names; here it is not
            // the first.
            let owned = index == 0 ? otherThreads.subtracting(namedThreads) : process.threads
            result.processes.append(
                Process(
                    number: processNumbers[process.number] ?? process.number, name: process.name,
                    threads: Set(owned.map { threadNumbers[$0] ?? $0 })))
        }
        for var exchange in other.exchanges {
            if exchange.subject != 0 { exchange.subject &+= offset }
            if let socket = Self.socket(of: exchange) {
                exchange.connection = "\(socket &+ offset)"
            }
            result.exchanges.append(exchange)
        }
        result.dropped &+= other.dropped
        result.textsLeftOut &+= other.textsLeftOut
        result.texts.all += other.texts.all
        if other.startTime < startTime {
            (result.startTime, result.startDate) = (other.startTime, other.startDate)
        }
        return result
    }

    private var isNothing: Bool { startTime == 0 && events.isEmpty && exchanges.isEmpty }

    private var highestSubject: UInt64 {
        let ofEvents = events.lazy.map { event in
            max(measuredThread(event) == nil ? event.subject : 0, Self.socket(of: event) ?? 0)
        }
        let ofExchanges = exchanges.lazy.map { max($0.subject, Self.socket(of: $0) ?? 0) }
        return max(ofEvents.max() ?? 0, ofExchanges.max() ?? 0)
    }

    /// The socket's number in the begin of a transfer; nil in other events, and where none is known.
    private static func socket(of event: Event) -> UInt64? {
        guard event.kind == .transfer, event.phase == .begin, event.value > 0 else { return nil }
        return UInt64(event.value)
    }

    private static func socket(of exchange: ExchangeRecord) -> UInt64? {
        exchange.connection.flatMap { UInt64($0) }.flatMap { $0 == 0 ? nil : $0 }
    }

    /// The thread whose processor time an event notes; nil for other events.
    private func measuredThread(_ event: Event) -> UInt32? {
        guard event.kind == .note, text(of: event) == ThreadClock.note else { return nil }
        return UInt32(exactly: event.subject)
    }

    private var allThreads: Set<UInt32> {
        Set(threads.keys).union(events.lazy.map(\.thread))
            .union(events.lazy.compactMap(measuredThread))
    }

    /// New ids for those that are taken: from 4,194,304 on. The ids that Linux assigns are lower.
    private static func numbers(
        _ numbers: [UInt32], besides taken: Set<UInt32>
    ) -> [UInt32: UInt32] {
        let used = taken.union(numbers)
        var free = (UInt32(1 << 22)...).lazy.filter { !used.contains($0) }.makeIterator()
        var result: [UInt32: UInt32] = [:]
        for number in numbers where taken.contains(number) { result[number] = free.next() }
        return result
    }
}
