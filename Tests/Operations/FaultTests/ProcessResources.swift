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
