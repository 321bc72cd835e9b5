import Foundation

// bench: starts servers and rivals, compares them, writes the report.

do {
    let options = try Options(CommandLine.arguments.dropFirst())
    if options.wantsHelp {
        print(Options.help)
        exit(0)
    }
    let isGood = try Benchmark(options).run()
    exit(isGood ? 0 : 1)
} catch {
    FileHandle.standardError.write(Data("bench: \(error)\n".utf8))
    exit(2)
}
