/// What a program gets that this process executes, besides the standard streams.
package enum InheritedDescriptors {
    /// What each is, as the kernel names it, by its number.
    package static func now() -> [Int32: String] {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        let open = names.compactMap { Int32($0) }.filter { number in
            let flags = fcntl(number, F_GETFD)
            return number > 2 && flags >= 0 && flags & FD_CLOEXEC == 0
        }
        return Dictionary(
            uniqueKeysWithValues: open.map { number in
                let file = try? FileManager.default.destinationOfSymbolicLink(
                    atPath: "\(folder)/\(number)")
                return (number, file ?? "")
            })
    }

    /// Those that were not there before.
    package static func now(since before: [Int32: String]) -> [String] {
        now().filter { before[$0.key] != $0.value }.values.sorted()
    }

    /// Whether this process has a file open.
    package static func isOpen(_ path: String) -> Bool {
        let folder = "/proc/self/fd"
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return names.contains { name in
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "\(folder)/\(name)"))
                == path
        }
    }
}
