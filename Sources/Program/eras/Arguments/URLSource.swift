/// A list of URLs, one a line.
enum URLSource: Equatable {
    case file(String)
    case standardInput
    /// A list that a server has.
    case address(String)

    /// The value of `--input`.
    init(_ reader: inout ArgumentReader) throws(UsageError) {
        let text = try reader.value("a file with one URL a line")
        let isAddress = ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
        self = text == "-" ? .standardInput : isAddress ? .address(text) : .file(text)
    }
}
