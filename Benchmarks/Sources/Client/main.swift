import CMeasure
import Foundation

// bench-client RIVAL KIND key=value …: runs one rival on one task and prints what it measured as
// one line of JSON. `bench` starts it; by hand it is good for a profiler.

signal(SIGPIPE, SIG_IGN)
_ = measure_allow_descriptors()

let arguments = CommandLine.arguments.dropFirst()
guard let name = arguments.first, let assignment = Assignment(arguments.dropFirst()),
    let rival = Rivals.make(name, assignment)
else {
    FileHandle.standardError.write(
        Data(
            """
            usage: bench-client RIVAL KIND key=value …
            rivals: \(Rivals.names.joined(separator: ", "))
            kinds: \(Assignment.Kind.allCases.map(\.rawValue).joined(separator: ", "))

            """.utf8))
    exit(2)
}

// Main belongs to the rivals: some of their callbacks come there.
Thread.detachNewThread {
    var outcome = Outcome()
    assignment.run(rival, into: &outcome)
    outcome.print()
    // Without the handlers of `exit`: OpenSSL's would race with threads that still use it.
    _exit(0)
}
if assignment.runsMainLoop {
    RunLoop.main.run()
} else {
    dispatchMain()
}
