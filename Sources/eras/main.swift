import Dispatch

let session = Session(CommandLine.arguments)
session.begin()
dispatchMain()
