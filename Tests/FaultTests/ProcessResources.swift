import Foundation

/// What the process holds: descriptors, and threads other than those Dispatch keeps for later.
struct ProcessResources: CustomStringConvertible {
    var descriptors: Int
    var threads: [String]

    var description: String { "\(descriptors) descriptors, threads \(threads)" }

    static var now: ProcessResources {
        let files = FileManager.default
        let tasks = (try? files.contentsOfDirectory(atPath: "/proc/self/task")) ?? []
        let names = tasks.compactMap { task in
            try? String(contentsOfFile: "/proc/self/task/\(task)/comm", encoding: .utf8)
                .trimmingCharacters(in: .newlines)
        }
        return ProcessResources(
            descriptors: (try? files.contentsOfDirectory(atPath: "/proc/self/fd").count) ?? 0,
            threads: names.filter { $0 == "storm" || $0 == "AFNetworking" })
    }

    /// Waits, a bounded while, until the process holds no more than it did.
    static func settles(to base: ProcessResources) async -> Bool {
        for _ in 0..<500 {
            let now = now
            if now.descriptors <= base.descriptors, now.threads.count <= base.threads.count {
                return true
            }
            await withCheckedContinuation { continuation in
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(10)) {
                    continuation.resume()
                }
            }
        }
        return false
    }
}

/// A generator whose seed is printed when a test fails (SplitMix64).
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) {
        state = seed
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ (value >> 30)) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ (value >> 27)) &* 0x94D0_49BB_1331_11EB
        return value ^ (value >> 31)
    }
}
