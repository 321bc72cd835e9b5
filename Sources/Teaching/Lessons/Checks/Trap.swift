import Foundation

/// Prints a sentence when a reader's code stops the process by a fatal error.
enum Trap {
    private static let sentence = Array(
        (Words(
            "`keepAlive` has ended the program. `Port()` does so on Linux, where Foundation's port is "
                + "abstract: a `CFRunLoopSource` is something to wait for as well.",
            "`keepAlive` 让程序终止了。在 Linux 上 `Port()` 就会这样，因为 Foundation 的 port 是抽象的："
                + "`CFRunLoopSource` 同样可以让 RunLoop 等待。"
        ).text(.current(ProcessInfo.processInfo.environment)) + "\n").utf8)

    /// Runs the body. A fatal error in it prints the sentence, and ends the process with status 1,
    /// without a backtrace.
    static func guarding(_ body: () -> Void) {
        // Made before the signal, because a signal handler must not allocate.
        _ = sentence
        let signals = [SIGILL, SIGTRAP]
        var before = signals.map { _ in sigaction() }
        for (index, number) in signals.enumerated() {
            sigaction(number, nil, &before[index])
            signal(number) { _ in
                Trap.sentence.withUnsafeBytes { _ = write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                _exit(1)
            }
        }
        body()
        for (index, number) in signals.enumerated() { sigaction(number, &before[index], nil) }
    }
}
