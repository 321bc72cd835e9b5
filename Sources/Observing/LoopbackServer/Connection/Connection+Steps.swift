import Foundation

extension Connection {
    private enum Progress {
        case done
        case later
    }

    /// After this many bytes of one connection, or a little more, other connections are served.
    private static let sendLimit = 1 << 20
    /// The time between two pieces of a paced step, in nanoseconds.
    private static let pieceInterval: UInt64 = 10_000_000

    /// Runs steps until one must wait or closes the connection.
    ///
    /// - Returns: whether all steps are done.
    func runSteps() throws(Malformed) -> Bool {
        awaitsWritable = false
        readsBody = false
        deadline = .max
        var budget = Connection.sendLimit
        while let current = exchange {
            guard current.index < current.steps.count else {
                finish()
                return true
            }
            let progress = try run(current.steps[current.index], &budget)
            guard progress == .done, phase == .responding else { return false }
            exchange?.advance()
        }
        return false
    }

    private func run(
        _ step: ScriptedResponse.Step, _ budget: inout Int
    ) throws(Malformed) -> Progress {
        switch step {
        case .bytes(let data): return send(data, &budget)
        case .generated(let seed, let range):
            return send(seed, range, upTo: range.upperBound, &budget)
        case .paced(let seed, let range, let rate): return send(seed, range, rate, &budget)
        case .sleep(let seconds): return sleep(seconds)
        case .wait(let gate):
            let isArrival = exchange?.startedAt == nil
            exchange?.startedAt = 0
            return journal.pass(gate, isArrival: isArrival) ? .done : .later
        case .stall: return .later
        case .close:
            end(.fin)
            return .later
        case .cut:
            end(.cut)
            return .later
        case .reset:
            end(.reset)
            return .later
        case .readBody:
            sendContinueIfWanted()
            if try readBody() { return .done }
            readsBody = true
            return .later
        case .readBodySlowly(let rate): return try readSlowly(rate)
        }
    }

    // MARK: Sending

    private func send(_ data: Data, _ budget: inout Int) -> Progress {
        var done = Int(exchange?.done ?? 0)
        while done < data.count {
            let sent = data.withUnsafeBytes {
                push(UnsafeRawBufferPointer(rebasing: $0[done...]), &budget)
            }
            guard sent > 0 else { return .later }
            done += sent
        }
        return .done
    }

    private func send(
        _ seed: UInt64, _ range: Range<Int64>, upTo end: Int64, _ budget: inout Int
    ) -> Progress {
        var offset = range.lowerBound + (exchange?.done ?? 0)
        let longest = tls == nil ? context.scratch.count : TLSSession.recordLength
        while offset < end {
            let count = Int(min(end - offset, Int64(longest)))
            let piece = UnsafeMutableRawBufferPointer(rebasing: context.scratch[..<count])
            GeneratedBytes.fill(piece, seed: seed, offset: offset)
            let sent = push(UnsafeRawBufferPointer(piece), &budget)
            guard sent > 0 else { return .later }
            offset += Int64(sent)
        }
        return .done
    }

    private func send(
        _ seed: UInt64, _ range: Range<Int64>, _ rate: Double, _ budget: inout Int
    ) -> Progress {
        let allowed = min(allowance(rate), Double(range.count))
        let end = range.lowerBound + Int64(allowed)
        guard send(seed, range, upTo: end, &budget) == .done else { return .later }
        if end == range.upperBound { return .done }
        deadline = Sockets.now() + Connection.pieceInterval
        return .later
    }

    /// Sends once; 0 means that the step must wait, or that the peer has disconnected.
    private func push(_ bytes: UnsafeRawBufferPointer, _ budget: inout Int) -> Int {
        guard budget > 0 else {
            awaitsWritable = true
            return 0
        }
        switch send(bytes) {
        case .moved(let count):
            exchange?.done += Int64(count)
            budget -= count
            journal.moved(sent: count)
            return count
        case .blocked:
            awaitsWritable = true
        case .ended:
            end(.abandoned)
        }
        return 0
    }

    // MARK: Time

    private func sleep(_ seconds: Double) -> Progress {
        let now = Sockets.now()
        let start = startTime(setting: now)
        let length = UInt64(min(max(seconds, 0), 1e6) * 1e9)
        guard now < start + length else { return .done }
        deadline = start + length
        return .later
    }

    /// How many bytes a paced step may have sent or read by now.
    private func allowance(_ rate: Double) -> Double {
        let now = Sockets.now()
        let elapsed = Double(now - startTime(setting: now) + Connection.pieceInterval) / 1e9
        return max(1, max(1, rate) * elapsed)
    }

    /// When the step began; that is `now` if it begins.
    private func startTime(setting now: UInt64) -> UInt64 {
        let start = exchange?.startedAt ?? now
        exchange?.startedAt = start
        return start
    }

    private func readSlowly(_ rate: Double) throws(Malformed) -> Progress {
        if exchange?.startedAt == nil { Sockets.shrinkReceiveBuffer(descriptor) }
        sendContinueIfWanted()
        let room = Int(min(allowance(rate), 1e15)) - Int(exchange?.done ?? 0)
        if room > 0 {
            let piece = context.scratch[..<min(room, context.scratch.count)]
            switch receive(UnsafeMutableRawBufferPointer(rebasing: piece)) {
            case .moved(let count):
                exchange?.done += Int64(count)
                journal.moved(received: count)
                input.append(UnsafeRawBufferPointer(rebasing: context.scratch[..<count]))
            case .blocked: break
            case .ended:
                end(.abandoned)
                return .later
            }
        }
        if try readBody() { return .done }
        deadline = Sockets.now() + Connection.pieceInterval
        return .later
    }
}
