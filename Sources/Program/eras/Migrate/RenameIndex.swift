/// The old names of AFNetworking, in the spelling of sources.
struct RenameIndex {
    /// One name: a row of Documentation/Migration/Names.md.
    struct Row: Hashable {
        let kind: String
        /// The old type it belongs to; empty where there is none.
        let owner: String
        let objectiveC: String
        let swift: String
        /// The new name; empty where there is none.
        let new: String
        let note: String

        /// What replaces it.
        var answer: String {
            let isSame = new == objectiveC || "@" + new == objectiveC
            let name = new.isEmpty ? nil : isSame ? "the same" : new
            let parts = [name, note.isEmpty ? nil : note].compactMap(\.self)
            return parts.isEmpty
                ? "nothing here, because it is gone" : parts.joined(separator: "; ")
        }

        var needsChangeInSwift: Bool { new != swift || !note.isEmpty }
    }

    /// Types, constants, notifications and functions by both spellings, cases by Objective-C's.
    private(set) var words: [String: Row] = [:]
    private(set) var messages: [String: [Row]] = [:]
    private(set) var members: [String: [Row]] = [:]
    /// Methods of Swift, by the name before the parenthesis.
    private(set) var calls: [String: [(labels: [String], row: Row)]] = [:]
    private(set) var types: Set<String> = []

    init(_ text: String = MigrationNames.text) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: "|", omittingEmptySubsequences: false)
                .map(String.init)
            guard fields.count == 6 else { continue }
            add(
                Row(
                    kind: fields[0], owner: fields[1], objectiveC: fields[2], swift: fields[3],
                    new: fields[4], note: fields[5]))
        }
    }

    private mutating func add(_ row: Row) {
        switch row.kind {
        case "property":
            let name = String(row.objectiveC.dropFirst())
            members[name, default: []].append(row)
            if row.swift != name { members[row.swift, default: []].append(row) }
            let noun = name.hasPrefix("is") ? String(name.dropFirst(2)) : name
            let setter = "set\(noun.prefix(1).uppercased())\(noun.dropFirst()):"
            messages[setter, default: []].append(row)
        case "method", "initializer":
            messages[String(row.objectiveC.dropFirst()), default: []].append(row)
            guard let call = Self.call(row.swift) else { return }
            let name = call.name == "init" ? row.owner : call.name
            calls[name, default: []].append((call.labels, row))
        default:
            words[row.objectiveC] = row
            let swift = row.swift.prefix { $0 != "(" }
            if row.owner.isEmpty { words[String(swift)] = row }
            if row.kind == "type" { types.insert(row.objectiveC) }
        }
    }

    private static func call(_ name: String) -> (name: String, labels: [String])? {
        guard let start = name.firstIndex(of: "("), name.last == ")" else { return nil }
        let labels = name[name.index(after: start)...].dropLast().split(separator: ":")
        return (String(name[..<start]), labels.map(String.init))
    }

    /// A type, and those that it inherits from.
    func family(_ type: String) -> [String] {
        var family = [type]
        while let parent = Self.parents[family[family.count - 1]] { family.append(parent) }
        return family
    }

    private static let parents = [
        "AFHTTPRequestOperation": "AFURLConnectionOperation",
        "AFHTTPSessionManager": "AFURLSessionManager",
        "AFJSONRequestSerializer": "AFHTTPRequestSerializer",
        "AFPropertyListRequestSerializer": "AFHTTPRequestSerializer",
        "AFHTTPRequestSerializer": "AFURLRequestSerialization",
        "AFJSONResponseSerializer": "AFHTTPResponseSerializer",
        "AFXMLParserResponseSerializer": "AFHTTPResponseSerializer",
        "AFXMLDocumentResponseSerializer": "AFHTTPResponseSerializer",
        "AFPropertyListResponseSerializer": "AFHTTPResponseSerializer",
        "AFImageResponseSerializer": "AFHTTPResponseSerializer",
        "AFCompoundResponseSerializer": "AFHTTPResponseSerializer",
        "AFHTTPResponseSerializer": "AFURLResponseSerialization",
        "AFAutoPurgingImageCache": "AFImageRequestCache",
        "AFImageRequestCache": "AFImageCache",
    ]

    /// Why a name with AFNetworking's prefix has no row.
    static func reason(_ name: String) -> String {
        let first: Set = [
            "AFHTTPClient", "AFJSONRequestOperation", "AFXMLRequestOperation",
            "AFPropertyListRequestOperation", "AFImageRequestOperation",
            "AFHTTPClientParameterEncoding", "AFFormURLParameterEncoding",
            "AFJSONParameterEncoding", "AFPropertyListParameterEncoding",
        ]
        return first.contains(name)
            ? "it is of 1.x; go to 2.x first"
            : "no header of 2.7, 3.x or 4.0.1 declares it; private there, or another library's"
    }
}
