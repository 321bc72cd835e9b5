import TestSupport

/// `Documentation/Migration/renames.json`: every public name of 2.7, and of the session managers of
/// 3.x and 4.0.1, and what it is called here.
///
/// The old names in module AFNetworking and the table in MIGRATION.md are written from it.
struct RenameList: Decodable {
    /// One name.
    struct Row: Decodable {
        enum Kind: String, Decodable {
            case type, `enum`, `case`, notification, constant, function
            case property, initializer, method
        }

        let kind: Kind
        /// The old type it belongs to.
        let of: String?
        /// As Objective-C wrote it: `@property`, `-method:`, `+classMethod:`.
        let objc: String
        /// As Swift 3 and later wrote it.
        let old: String
        /// As it is written here; nil when it is gone.
        let new: String?
        /// What else is different.
        let note: String?
    }

    let renames: [Row]
    /// Public names nothing of AFNetworking stands behind, by type; "" has the types themselves.
    let added: [String: [String]]

    static let path = "Documentation/Migration/renames.json"

    static func load() throws -> RenameList {
        let url = packageFolder.appendingPathComponent(path)
        return try JSONDecoder().decode(RenameList.self, from: Data(contentsOf: url))
    }

    /// The present name of an old type.
    func type(_ old: String) -> String? {
        renames.first { $0.kind == .type && $0.old == old }?.new
    }

    /// The full present name of a row, as `PublicDeclarations` writes names.
    func newName(_ row: Row) -> String? {
        guard let new = row.new else { return nil }
        if row.kind == .notification { return "Notification.Name." + new }
        guard let owner = row.of else { return new }
        return type(owner).map { $0 + "." + new }
    }

    /// The full old name of a row, under the present name of its type.
    func oldName(_ row: Row) -> String? {
        if row.kind == .notification { return "Notification.Name." + row.old }
        guard let owner = row.of else { return row.old }
        return "\(type(owner) ?? owner).\(row.old)"
    }
}
