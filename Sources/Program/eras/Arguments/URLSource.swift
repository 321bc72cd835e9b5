/// Where a list of URLs is.
enum URLSource: Equatable {
    case file(String)
    case standardInput
    /// A list on a server.
    case address(String)
}

extension ValueKind<URLSource> {
    static var list: Self {
        Self("a file with one URL a line") { text in
            let isAddress = ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
            return text == "-" ? .standardInput : isAddress ? .address(text) : .file(text)
        }
    }
}
