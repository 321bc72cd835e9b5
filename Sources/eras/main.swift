import Dispatch

let program = Program(CommandLine.arguments)
program.begin()
dispatchMain()
