public import Foundation
public import HTTPSemantics

/// Reads archives that may have been changed.
///
/// `NSKeyedUnarchiver` on Linux crashes if an archive names an unexpected class, or if objects contain
/// themselves. This type checks the archive first, and throws an error for such a one.
public enum CheckedArchive {
    /// The object in an archive.
    ///
    /// - Parameters:
    ///   - type: the expected class, or one of its superclasses.
    ///   - others: classes, with their subclasses, that the object refers to. The package's classes refer
    ///     to none, but subclasses may. Several of Foundation's classes crash for damaged contents.
    ///   - data: an archive of `NSKeyedArchiver`, binary or XML.
    /// - Throws: `ArchiveError`.
    public static func object<Object: NSObject & NSSecureCoding>(
        of type: Object.Type, allowing others: [any NSSecureCoding.Type] = [], from data: Data
    ) throws(ArchiveError) -> Object {
        guard depth < mostNestedArchives else { throw .nestedTooDeeply }
        try check(data, [type] + others)
        let object: Object? = $depth.withValue(depth + 1) {
            guard let reader = try? NSKeyedUnarchiver(forReadingFrom: data) else { return nil }
            // Every class was checked. Foundation's own check crashes if two checked classes are swapped;
            // without it the decoding code gets nil.
            reader.requiresSecureCoding = false
            reader.decodingFailurePolicy = .setErrorAndReturn
            let root = reader.decodeObject(forKey: NSKeyedArchiveRootObjectKey)
            return reader.error == nil ? root as? Object : nil
        }
        guard let object else { throw .unreadableObject }
        return object
    }

    /// Objects are archives in data, so archives can be nested, and each level uses stack.
    @TaskLocal private static var depth = 0
    private static let mostNestedArchives = 16

    private static func check(
        _ data: Data, _ allowed: [any NSSecureCoding.Type]
    ) throws(ArchiveError) {
        do {
            let contents = try ArchiveContents(data)
            for name in try contents.classNames() {
                let named: AnyClass? =
                    NSKeyedUnarchiver.class(forClassName: name) ?? NSClassFromString(name)
                guard let named, isAllowed(named, allowed) else {
                    throw ArchiveError.unexpectedClass(name.printable)
                }
            }
            try contents.checkNesting()
        } catch {
            throw error as? ArchiveError ?? .notAnArchive
        }
    }

    private static func isAllowed(
        _ named: AnyClass, _ allowed: [any NSSecureCoding.Type]
    ) -> Bool {
        func isKind<Parent: NSSecureCoding>(of parent: Parent.Type) -> Bool { named is Parent.Type }
        guard let coding = named as? any NSSecureCoding.Type, coding.supportsSecureCoding else {
            return false
        }
        return allowed.contains { isKind(of: $0) }
    }
}

/// The classes and references of an archive's objects, read from its property list.
struct ArchiveContents {
    private let list: BinaryPropertyList
    /// The number in the property list of each object of the archive.
    private let objects: [Int]

    init(_ data: Data) throws {
        try BinaryPropertyList.check(data)
        list = try BinaryPropertyList(Self.binary(data))
        // There must be only one value with this name, because Foundation might read another one than was checked.
        let objects = try list.members(of: list.root)?.filter { $0.name == "$objects" } ?? []
        guard objects.count == 1, case .array(let elements) = try list.element(objects[0].value)
        else { throw ArchiveError.notAnArchive }
        self.objects = elements
    }

    private static func binary(_ data: Data) throws -> Data {
        if BinaryPropertyList.isBinary(data) { return data }
        // Only Foundation can read references between objects in XML.
        let contents = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try PropertyListSerialization.data(
            fromPropertyList: contents, format: .binary, options: 0)
    }

    /// The names of all classes in the archive.
    ///
    /// - Throws: `notAnArchive`, also for an object whose class is no class, for which Foundation crashes.
    func classNames() throws -> [String] {
        var names: [String] = []
        for object in objects {
            for (name, value) in try list.members(of: object) ?? [] {
                switch (name, try list.element(value)) {
                case ("$class", .reference(let target)):
                    guard objects.indices.contains(target),
                        let members = try list.members(of: objects[target]),
                        members.contains(where: { $0.name == "$classname" })
                    else { throw ArchiveError.notAnArchive }
                case ("$classname", .text(let name)): names.append(name)
                case ("$classhints", .array(let hints)): names += try hints.map(text)
                case ("$classname", _), ("$classhints", _): throw ArchiveError.notAnArchive
                default: break
                }
            }
        }
        return names
    }

    private func text(_ object: Int) throws -> String {
        guard case .text(let text) = try list.element(object) else {
            throw ArchiveError.notAnArchive
        }
        return text
    }

    private static let deepest = 128

    /// Checks how deep objects refer to others.
    ///
    /// - Throws: `nestedTooDeeply`, also for an object that contains itself.
    func checkNesting() throws {
        var depths = [Int?](repeating: nil, count: objects.count)
        for start in objects.indices where depths[start] == nil {
            var open = [(object: start, rest: try references(of: start), depth: 1)]
            var isOpen: Set = [start]
            while let last = open.indices.last {
                guard let next = open[last].rest.popLast() else {
                    let done = open.removeLast()
                    isOpen.remove(done.object)
                    depths[done.object] = done.depth
                    if let parent = open.indices.last {
                        open[parent].depth = max(open[parent].depth, done.depth + 1)
                    }
                    continue
                }
                let known = depths[next]
                guard !isOpen.contains(next), open.count + (known ?? 1) <= Self.deepest else {
                    throw ArchiveError.nestedTooDeeply
                }
                if let known {
                    open[last].depth = max(open[last].depth, known + 1)
                } else {
                    isOpen.insert(next)
                    open.append((next, try references(of: next), 1))
                }
            }
        }
    }

    /// The objects that an object refers to, one or an array of them.
    private func references(of object: Int) throws -> [Int] {
        var references: [Int] = []
        for (_, value) in try list.members(of: objects[object]) ?? [] {
            switch try list.element(value) {
            case .reference(let target): references.append(target)
            case .array(let elements):
                for case .reference(let target) in try elements.map(list.element) {
                    references.append(target)
                }
            default: break
            }
        }
        return references.filter(objects.indices.contains)
    }
}

/// Why an archive was not read. The codes never change.
public enum ArchiveError: NumberedError, Hashable, Sendable {
    /// 1: the bytes are no keyed archive with one root object, or are damaged.
    case notAnArchive
    /// 2: the archive names a class that was not expected, that does not exist, or that does not support secure
    /// coding.
    case unexpectedClass(String)
    /// 3: objects are nested more than 128 deep, or contain themselves.
    case nestedTooDeeply
    /// 4: an object could not be made from its contents in the archive.
    case unreadableObject

    /// `OperationNetworking.ArchiveError`.
    public static var errorDomain: String { "OperationNetworking.ArchiveError" }

    package var numbered: (number: Int, sentence: String) {
        switch self {
        case .notAnArchive: (1, "The bytes are no archive, or are damaged.")
        case .unexpectedClass(let name):
            (2, "The archive names the class \(name.printable), which was not expected.")
        case .nestedTooDeeply: (3, "The archive's objects are nested too deeply.")
        case .unreadableObject: (4, "An object could not be made from its contents in the archive.")
        }
    }
}
