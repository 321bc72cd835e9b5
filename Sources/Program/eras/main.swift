import Dispatch

Console.fillDescriptors()
let program = Program(CommandLine.arguments)
program.begin()
dispatchMain()
