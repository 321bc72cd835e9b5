import Dispatch

Console.fillPlaces()
let program = Program(CommandLine.arguments)
program.begin()
dispatchMain()
