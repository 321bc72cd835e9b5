import Foundation

/// Keeps libxml2 from printing what it finds wrong, with the peer's bytes in it, to standard error.
enum XMLMessages {
    private typealias Handler =
        @convention(c) @Sendable (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> Void
    private typealias Setter =
        @convention(c) @Sendable (UnsafeMutableRawPointer?, Handler?) -> Void

    /// libxml2's function that sets a thread's handler of errors, by Foundation's name for it or by
    /// its own: which there is depends on how Foundation was linked.
    private static let set: Setter? = {
        let names = ["_CFXMLInterfaceSetStructuredErrorFunc", "xmlSetStructuredErrorFunc"]
        let found = names.lazy.compactMap { dlsym(nil, $0) }.first
        return found.map { unsafeBitCast($0, to: Setter.self) }
    }()

    /// Runs a parser of Foundation's; this thread has no handler afterwards, as after each parser of
    /// Foundation's.
    static func silenced<Result>(_ parse: () throws -> Result) rethrows -> Result {
        set?(nil) { _, _ in }
        defer { set?(nil, nil) }
        return try parse()
    }
}
