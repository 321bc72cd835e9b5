import TestSupport

/// An archive as a property list, to be changed by a test; also the archives inside it.
enum ArchiveEdit {
    /// Every archive that differs from the given one in one member of one object.
    ///
    /// - Parameter change: what may stand in a member's place; `.some(nil)` takes the member away.
    static func each(
        of archive: Data, _ change: (_ key: String, _ value: Any) -> [Any?]
    ) -> [(key: String, data: Data)] {
        guard var list = contents(archive), let objects = list["$objects"] as? [Any] else {
            return []
        }
        var edits: [(String, Data)] = []
        func add(_ key: String, _ index: Int, _ object: [String: Any]) {
            var edited = objects
            edited[index] = object
            list["$objects"] = edited
            let data = try? PropertyListSerialization.data(
                fromPropertyList: list, format: .binary, options: 0)
            if let data { edits.append((key, data)) }
        }
        for (index, object) in objects.enumerated() {
            guard let object = object as? [String: Any] else { continue }
            for (key, value) in object.sorted(by: { $0.key < $1.key }) {
                for new in change(key, value) {
                    var edited = object
                    edited[key] = new
                    add(key, index, edited)
                }
                guard let inner = value as? Data else { continue }
                for edit in each(of: inner, change) {
                    var edited = object
                    edited[key] = edit.data
                    add("\(key).\(edit.key)", index, edited)
                }
            }
        }
        return edits
    }

    private static func contents(_ archive: Data) -> [String: Any]? {
        let list = try? PropertyListSerialization.propertyList(from: archive, format: nil)
        let contents = list as? [String: Any]
        return contents?["$archiver"] == nil ? nil : contents
    }

    /// The value that `NSCoder.encode(value:forKey:)` writes as bytes.
    static func bytes(of value: some Encodable) -> Data? {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try? encoder.encode([value])
    }
}

func archived(_ object: some NSObject & NSSecureCoding) throws -> Data {
    try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
}

/// What comes of an object's archive.
func again<Object: NSObject & NSSecureCoding>(_ object: Object) throws -> Object {
    let data = try archived(object)
    return try #require(try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data))
}
