import TestSupport

@Suite("The list of renames", .timeLimit(.minutes(5)))
struct RenameTests {
    private let list: RenameList
    private let new: PublicDeclarations
    private let old: PublicDeclarations

    /// Members of protocols of Foundation and Swift, which stand in no header of 2.x either.
    private static let adopted: Set = [
        "init(coder:)", "encode(with:)", "copy(with:)", "supportsSecureCoding",
        "errorDomain", "errorCode", "errorUserInfo", "errorDescription", "description",
        "rawValue", "init(rawValue:)", "hash(into:)",
    ]

    /// Old spellings that a default argument gives.
    private static let byDefault: Set = [
        "SecurityPolicy.init(pinningMode:)",
        "HTTPSessionManager.get(_:parameters:success:failure:)",
        "HTTPSessionManager.get(_:parameters:progress:success:failure:)",
        "HTTPSessionManager.head(_:parameters:success:failure:)",
        "HTTPSessionManager.post(_:parameters:success:failure:)",
        "HTTPSessionManager.post(_:parameters:progress:success:failure:)",
        "HTTPSessionManager.post(_:parameters:constructingBodyWith:success:failure:)",
        "HTTPSessionManager.post(_:parameters:constructingBodyWith:progress:success:failure:)",
        "HTTPSessionManager.put(_:parameters:success:failure:)",
        "HTTPSessionManager.patch(_:parameters:success:failure:)",
        "HTTPSessionManager.delete(_:parameters:success:failure:)",
    ]

    /// What module AFNetworking has beside the headers' names: Apple's own names, and calls without
    /// a last block or option, for which the importer had a default.
    private static let beside: Set = [
        "NSErrorPointer", "AutoreleasingUnsafeMutablePointer", "URLProtectionSpace.serverTrust",
        "OldTypes", "OldTypes.init(trust:)", "LaterOldTypes", "LaterOldTypes.pinnedCertificates",
        "PropertyListResponseSerializer.init(format:)",
        "HTTPRequestOperationManager.httpRequestOperation(with:success:calledFrom:)",
        "HTTPRequestOperationManager.httpRequestOperation(with:success:failure:calledFrom:)",
        "NSMutableDictionary.setValue(_:forKey:)", "NSMutableString.init(_:)",
        "NSURLSessionDownloadTaskResumeData", "SecurityPolicy.init(_:)",
        "OldTypes.willChangeValue(forKey:)", "OldTypes.didChangeValue(forKey:)",
        "NSDictionary.value(forKeyPath:)",
        "NSArray.value(forKey:)", "NSArray.value(forKeyPath:)",
        "NSEC_PER_SEC", "NSEC_PER_MSEC", "NSEC_PER_USEC", "USEC_PER_SEC",
        "HTTPSessionManager.OldSuccess", "HTTPSessionManager.OldFailure", "URLCredentialPointer",
    ]

    /// Read once. With UPDATE_RENAMES what is written from the list is written first.
    private static let sources = Result {
        if ProcessInfo.processInfo.environment["UPDATE_RENAMES"] != nil { try update() }
        return (
            new: try PublicDeclarations(
                of: "OperationNetworking", "DurableQueue", "CurlConnection", "HTTPSemantics",
                "SessionEra",
                "SessionTasks", "EventRecorder", "NetworkImages"),
            old: try PublicDeclarations(of: "AFNetworking")
        )
    }

    private static func update() throws {
        let list = try RenameList.load()
        let page = try text(of: RenameList.pagePath)
        try write(list.source, to: RenameList.sourcePath)
        try list.page(from: page).map { try write($0, to: RenameList.pagePath) }
        try write(list.scanNames, to: RenameList.scanNamesPath)
        try write(RenameList.scanRows(tables()), to: RenameList.scanRowsPath)
    }

    /// The tables that the scan shows rows of, behind their pages and headings.
    private static func tables() throws -> String {
        try RenameList.scanned.map { path, heading in
            let page = try text(of: path)
            return "# \(path)#\(heading)\n" + RenameList.rows(below: heading, of: page)
        }.joined(separator: "\n")
    }

    private static func write(_ text: String, to path: String) throws {
        try text.write(
            to: packageFolder.appendingPathComponent(path), atomically: true, encoding: .utf8)
    }

    private static func text(of path: String) throws -> String {
        try String(contentsOf: packageFolder.appendingPathComponent(path), encoding: .utf8)
    }

    init() throws {
        (new, old) = try Self.sources.get()
        list = try RenameList.load()
    }

    /// A name as it is declared: the type's own, or that of what it inherits.
    private func declared(_ name: String, in names: Set<String>) -> String? {
        names.contains(name) ? name : inherited(name, in: names)
    }

    private func inherited(_ name: String, in names: Set<String>) -> String? {
        guard let dot = name.firstIndex(of: ".") else { return nil }
        let parents = new.parents[String(name[..<dot])] ?? []
        return parents.lazy.compactMap { declared($0 + name[dot...], in: names) }.first
    }

    @Test
    func `every public name has a row`() {
        let names = new.names
        let renamed = list.renames.compactMap(list.newName).compactMap { declared($0, in: names) }
        let known = Set(renamed).union(list.addedNames)
        let missing = names.subtracting(known).filter { name in
            inherited(name, in: names) == nil
                && !Self.adopted.contains { name.hasSuffix("." + $0) }
        }
        #expect(
            missing.isEmpty,
            "Say in \(RenameList.path) what \(missing.sorted()) replaces, or list it as added.")
        print("renames: \(names.count) public names, \(list.renames.count) rows")
    }

    @Test
    func `every row leads to a public name`() {
        let names = new.names
        let stale = list.renames.compactMap(list.newName).filter { declared($0, in: names) == nil }
        #expect(stale.isEmpty, "\(stale.sorted()) of \(RenameList.path) do not exist.")
        let unknown = list.addedNames.subtracting(names)
        #expect(unknown.isEmpty, "\(unknown.sorted()) of \(RenameList.path) do not exist.")
    }

    @Test
    func `every old name compiles, unless its row says it is gone`() {
        let names = new.names.union(old.names)
        let missing = list.renames.filter { !$0.isApple }.compactMap(list.oldName).filter {
            declared($0, in: names) == nil
        }
        .filter { !Self.byDefault.contains($0) }
        #expect(missing.isEmpty, "Module AFNetworking lacks \(missing.sorted()).")
    }

    @Test
    func `module AFNetworking has no name that is not in the list`() {
        let known = Set(list.renames.compactMap(list.oldName))
            .union(list.renames.filter { $0.kind == .notification }.map(\.objc))
            .union(list.renames.map { "OldTypes." + $0.old })
            .union(Self.beside)
        let unknown = old.names.subtracting(known)
        #expect(unknown.isEmpty, "\(unknown.sorted()) are not in \(RenameList.path).")
    }

    @Test
    func `what the compiler offers is what the list says`() {
        for row in list.renames where row.of != nil {
            let offered = old.all.filter { $0.name == list.oldName(row) }.compactMap(\.renamed)
            #expect(offered.allSatisfy { $0 == row.new }, "\(row.old): \(offered)")
        }
    }

    @Test
    func `the written source and table are up to date`() throws {
        let page = try Self.text(of: RenameList.pagePath)
        let source = try Self.text(of: RenameList.sourcePath)
        #expect(source == list.source, "Run scripts/update-renames.")
        #expect(page == list.page(from: page), "Run scripts/update-renames.")
        let names = try Self.text(of: RenameList.scanNamesPath) == list.scanNames
        let rows =
            try Self.text(of: RenameList.scanRowsPath) == RenameList.scanRows(Self.tables())
        #expect(names && rows, "Run scripts/update-renames.")
    }
}

extension RenameList {
    /// The added names in full.
    fileprivate var addedNames: Set<String> {
        Set(added.flatMap { type, names in names.map { type.isEmpty ? $0 : "\(type).\($0)" } })
    }
}

extension RenameList.Row {
    /// What takes a type that only Apple's systems have.
    fileprivate var isApple: Bool { old == "init(reachability:)" }
}

@Suite("Reading declarations", .timeLimit(.minutes(5)))
struct PublicDeclarationsTests {
    @Test
    func `names carry their type and labels`() {
        let text = """
            public let limit = 3
            open class Thing: Base, @unchecked Sendable {
                private var hidden = 0
                public required init?(a b: Int, _ c: (Int) -> Void = { _ in }) {
                    let local = 1
                }
                // public func commented() {}
                open func go(
                    _ place: String, with map: [String: Int]? = nil,
                    then: (@Sendable (Int, Int) -> Void)?
                ) throws -> Int {
                    func inner() {}
                }
                override open var isReady: Bool { true }
                @available(*, deprecated, renamed: "now(x:)")
                public class func then(x: Int) {}
                public enum Kind { case one, two(Int) }
            }
            extension Outer.Inner {
                public static let name = Name("a")
                func hidden() {}
            }
            public protocol Rule {
                func check(_ a: Int)
            }
            """
        let found = PublicDeclarations(text: text)
        #expect(
            found.all.map(\.name) == [
                "limit", "Thing", "Thing.init(a:_:)", "Thing.go(_:with:then:)", "Thing.then(x:)",
                "Thing.Kind", "Thing.Kind.one", "Thing.Kind.two", "Outer.Inner.name", "Rule",
                "Rule.check(_:)",
            ])
        #expect(found.parents["Thing"] == ["Base", "@unchecked", "Sendable"])
        #expect(found.all.first { $0.name == "Thing.then(x:)" }?.renamed == "now(x:)")
    }
}
