/// The options of `eras migrate`.
struct MigrateOptions: CommandOptions {
    /// Folders and files to be scanned.
    var paths: [String] = []

    static let topic = HelpTopic.migrate
    static let help = HelpText.migrate
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        ["--scan": .add(\.paths, .text("a folder or a file"))]
    }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        guard !paths.isEmpty else { throw reader.usage("migrate needs --scan and a folder.") }
        return .migrate(self)
    }
}
