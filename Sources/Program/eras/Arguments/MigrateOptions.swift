/// The options of `eras migrate`.
struct MigrateOptions: CommandOptions {
    var paths: [String] = []

    static let topic = HelpTopic.migrate
    static let help = """
        eras migrate - lists AFNetworking's old names in sources, and what replaces them

        Examples
          eras migrate --scan MyApp
          eras migrate --scan MyApp --scan Shared/Client.m

        It reads Objective-C and Swift (.h, .m, .mm, .pch, .swift) and prints for each
        name of AFNetworking 2.7, 3.x or 4.0.1 a line: PATH:LINE, the old name, the new
        one and what else differs. In the same form it prints each row of the migration
        guide's tables that applies to a line, with its heading, and each name without a
        replacement, with the reason. Further lines with the same are in parentheses.
        Nothing is rewritten.

        Comments and string literals are not searched. A name that is the same in Swift
        is left out in Swift. Types of variables are not known: a method that several
        types have is listed for each of those that the project uses.

        Folders named Pods, Carthage, DerivedData, SourcePackages and node_modules,
        hidden ones and AFNetworking itself are skipped, and links are not followed. A
        file of more than 4 MiB, files more than 48 folders deep, and sources after the
        first 50,000 are not read, and reported.

        Options
              --scan PATH      a folder, with all that is in it, or a file; repeatable

        Exit codes
            0  nothing is left to do
            1  there is something to do, or something could not be read
            2  the arguments are wrong, or there is nothing at PATH

        """
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        ["--scan": .add(\.paths, .text("a folder or a file"))]
    }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        guard !paths.isEmpty else { throw reader.usage("migrate needs --scan and a folder.") }
        return .migrate(self)
    }
}
