extension Recording {
    /// This recording and another one from the same machine, on one timeline.
    ///
    /// Subjects of the other are renumbered. A thread's or process's id that occurs here too (the
    /// kernel reuses ids) is replaced by one that the kernel never assigns.
    public func merging(_ other: Recording) -> Recording {
        guard !other.isNothing else { return self }
        guard !isNothing else { return other }
        var result = self
        let processNumbers = Self.numbers(
            other.processes.map(\.number), besides: Set(processes.map(\.number)))
        let otherThreads = Set(other.threads.keys).union(other.events.lazy.map(\.thread))
        let threadNumbers = Self.numbers(
            otherThreads.sorted(),
            besides: Set(threads.keys).union(events.lazy.map(\.thread)))
        let offset = highestSubject

        for var event in other.events {
            if event.subject != 0 { event.subject &+= offset }
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
        max(events.lazy.map(\.subject).max() ?? 0, exchanges.lazy.map(\.subject).max() ?? 0)
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
