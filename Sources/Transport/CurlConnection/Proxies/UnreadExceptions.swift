import Foundation
import Locking

/// The exceptions in settings that others wrote which are none: they match nothing, as in libcurl, and each is said
/// once in the process.
///
/// ## Concurrency
/// Call from: any thread. Lock: one around what was said. Calls out on: the caller's thread, without the lock.
final class UnreadExceptions: Sendable {
    static let shared = UnreadExceptions { line in
        // Whoever reads the standard error may be slow.
        DispatchQueue.global(qos: .utility).async {
            try? FileHandle.standardError.write(contentsOf: Data((line + "\n").utf8))
        }
    }

    private let said = Locked<Set<String>>([])
    private let say: @Sendable (String) -> Void

    /// No more than so many are said.
    private static let most = 100
    private static let longest = 100

    init(saying say: @escaping @Sendable (String) -> Void) {
        self.say = say
    }

    /// The entries that are exceptions.
    ///
    /// - Parameter source: the variable or the key that has them.
    func rest(of entries: [String], in source: String) -> [String] {
        entries.filter { entry in
            guard (try? ProxyException(entry)) == nil else { return true }
            let line =
                "CurlConnection: \(source) has \(String(entry.prefix(Self.longest)).debugDescription), "
                + "which is neither a name, an address nor a network; it matches no host."
            let isFirst = said.withLock { $0.count < Self.most && $0.insert(line).inserted }
            if isFirst { say(line) }
            return false
        }
    }
}
