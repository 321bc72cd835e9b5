import TestSupport

@testable import OperationNetworking

/// Archives of others: an object or an error, never the end of the process.
@Suite("Checked archives", .timeLimit(.minutes(5)))
struct CheckedArchiveTests {
    private func operation() throws -> HTTPRequestOperation {
        let url = try #require(URL(string: "https://127.0.0.1/"))
        let operation = HTTPRequestOperation(request: URLRequest(url: url))
        operation.responseSerializer = CompoundResponseSerializer(responseSerializers: [
            JSONResponseSerializer(), HTTPResponseSerializer(),
        ])
        return operation
    }

    private func error<Object: NSObject & NSSecureCoding>(
        _ type: Object.Type, _ data: Data
    ) -> ArchiveError? {
        do {
            _ = try CheckedArchive.object(of: type, from: data)
            return nil
        } catch {
            return error
        }
    }

    @Test
    func `what the package archives is read, binary or XML, also by the parent of its class`()
        throws
    {
        let data = try archived(operation())
        #expect(try CheckedArchive.object(of: HTTPRequestOperation.self, from: data).isReady)
        #expect(try CheckedArchive.object(of: URLConnectionOperation.self, from: data).isReady)
        let list = try PropertyListSerialization.propertyList(from: data, format: nil)
        let xml = try PropertyListSerialization.data(
            fromPropertyList: list, format: .xml, options: 0)
        #expect(try CheckedArchive.object(of: HTTPRequestOperation.self, from: xml).isReady)
        let manager = try archived(HTTPRequestOperationManager(baseURL: nil))
        #expect(
            try CheckedArchive.object(of: HTTPRequestOperationManager.self, from: manager).baseURL
                == nil)
        let policy = try archived(SecurityPolicy.default())
        #expect(
            try CheckedArchive.object(of: SecurityPolicy.self, from: policy).validatesDomainName)
    }

    @Test
    func `a class in another's place is an error with its name`() throws {
        let others = [
            "NSArray", "NSURL", "NSMutableURLRequest", "NSObject", "NoSuchClass", "",
            "OperationNetworking.SecurityPolicy", "OperationNetworking.HTTPRequestSerializer",
        ]
        let edits = ArchiveEdit.each(of: try archived(operation())) { key, value in
            key == "$classname" ? others.filter { $0 != value as? String } : []
        }
        #expect(edits.count > 20)
        for edit in edits {
            let error = error(HTTPRequestOperation.self, edit.data)
            if edit.key == "$classname" {
                guard case .unexpectedClass = error else {
                    Issue.record("\(String(describing: error))")
                    continue
                }
            } else {
                // Inside, where the object itself finds that it cannot be made.
                #expect(error == .unreadableObject, "\(edit.key)")
            }
        }
        #expect(
            error(SecurityPolicy.self, try archived(operation()))
                == .unexpectedClass("OperationNetworking.HTTPRequestOperation"))
    }

    @Test
    func `a class by hint counts as one by name`() throws {
        let edits = ArchiveEdit.each(of: try archived(SecurityPolicy.default())) { key, _ in
            key == "$classes" ? [["NSURL"]] : []
        }
        let whole = try #require(edits.first)
        var list = try #require(
            PropertyListSerialization.propertyList(from: whole.data, format: nil) as? [String: Any])
        let objects = try #require(list["$objects"] as? [Any])
        list["$objects"] = objects.map { object -> Any in
            guard var named = object as? [String: Any], named["$classname"] != nil else {
                return object
            }
            named["$classhints"] = ["NSURL"]
            return named
        }
        let data = try PropertyListSerialization.data(
            fromPropertyList: list, format: .binary, options: 0)
        #expect(error(SecurityPolicy.self, data) == .unexpectedClass("NSURL"))
    }

    @Test
    func `no edit of one member, class or reference stops the process`() throws {
        let uid = try reference()
        for data in [try archived(operation()), try archived(SubclassWithLabels())] {
            let edits = ArchiveEdit.each(of: data) { _, value in
                value is Data
                    ? [nil, Data(), "x", 1, uid] : [nil, "x", 1, uid, ["y"], ["$class": uid]]
            }
            for edit in edits {
                _ = try? CheckedArchive.object(
                    of: HTTPRequestOperation.self, allowing: [SubclassWithLabels.self],
                    from: edit.data)
                _ = try? CheckedArchive.object(
                    of: SubclassWithLabels.self, allowing: [NSArray.self], from: edit.data)
            }
        }
    }

    @Test
    func `a subclass's own objects are read where their classes are allowed`() throws {
        let data = try archived(SubclassWithLabels())
        #expect(error(HTTPResponseSerializer.self, data) == .unexpectedClass("NSArray"))
        let read = try CheckedArchive.object(
            of: HTTPResponseSerializer.self, allowing: [NSArray.self], from: data)
        #expect((read as? SubclassWithLabels)?.labels == ["a", "b"])
    }

    @Test
    func `objects in themselves, and too many in one another, are an error`() throws {
        let list = try PropertyListSerialization.propertyList(
            from: archived(SubclassWithLabels()), format: nil)
        let xml = String(
            decoding: try PropertyListSerialization.data(
                fromPropertyList: list, format: .xml, options: 0), as: UTF8.self)
        let element = #/(NS\.objects</key>\s*<array>\s*<dict>\s*<key>CF\$UID</key>\s*<integer>)\d+/#
        var refused = 0
        for target in 0..<8 {
            let edited = Data(xml.replacing(element) { "\($0.1)\(target)" }.utf8)
            do {
                _ = try CheckedArchive.object(
                    of: SubclassWithLabels.self, allowing: [NSArray.self], from: edited)
            } catch ArchiveError.nestedTooDeeply {
                refused += 1
            } catch {
                #expect(error == .unreadableObject || error == .notAnArchive)
            }
        }
        // In the array itself, and in the root that holds it.
        #expect(refused == 2)
        var serializer = HTTPResponseSerializer()
        for _ in 0..<10 {
            serializer = CompoundResponseSerializer(responseSerializers: [serializer])
        }
        #expect(error(HTTPResponseSerializer.self, try archived(serializer)) == nil)
        for _ in 0..<10 {
            serializer = CompoundResponseSerializer(responseSerializers: [serializer])
        }
        #expect(error(HTTPResponseSerializer.self, try archived(serializer)) != nil)
    }

    @Test
    func `bytes that are no archive are an error`() throws {
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["a": 1], format: .binary, options: 0)
        let data = try archived(operation())
        for bytes in [Data(), Data("bplist00".utf8), list, Data("<plist/>".utf8)] {
            #expect(error(HTTPRequestOperation.self, bytes) == .notAnArchive)
        }
        for count in stride(from: 0, to: data.count, by: 7) {
            #expect(error(HTTPRequestOperation.self, data.prefix(count)) == .notAnArchive)
        }
        for index in data.indices {
            var broken = data
            broken[index] ^= 0x55
            _ = error(HTTPRequestOperation.self, broken)
        }
    }

    /// A reference to the first object, which only an archive has.
    private func reference() throws -> Any {
        let list =
            try PropertyListSerialization.propertyList(
                from: archived(SecurityPolicy.default()), format: nil) as? [String: Any]
        return try #require((list?["$top"] as? [String: Any])?["root"])
    }
}

/// A caller's own, with objects of Foundation's in its archive.
final class SubclassWithLabels: HTTPResponseSerializer, @unchecked Sendable {
    // @unchecked because it changes only before it is shared.
    var labels = ["a", "b"]

    required init() { super.init() }

    required init?(coder: NSCoder) {
        super.init(coder: coder)
        labels =
            coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "labels") as? [String]
            ?? []
    }

    override func encode(with coder: NSCoder) {
        super.encode(with: coder)
        coder.encode(labels as NSArray, forKey: "labels")
    }
}
