import Foundation

/// The objects of an archive as its property list holds them: their classes and their references.
struct ArchiveContents {
    private let list: BinaryPropertyList
    /// For each number that a reference of the archive has: the object's number in the list.
    private let objects: [Int]

    init(_ data: Data) throws {
        try BinaryPropertyList.check(data)
        list = try BinaryPropertyList(Self.binary(data))
        // With a second value of the same name Foundation might read the other one.
        let objects = try list.members(of: list.root)?.filter { $0.name == "$objects" } ?? []
        guard objects.count == 1, case .array(let elements) = try list.element(objects[0].value)
        else { throw ArchiveError.notAnArchive }
        self.objects = elements
    }

    private static func binary(_ data: Data) throws -> Data {
        if BinaryPropertyList.isBinary(data) { return data }
        // References between objects have a type that only Foundation reads.
        let contents = try PropertyListSerialization.propertyList(from: data, format: nil)
        return try PropertyListSerialization.data(
            fromPropertyList: contents, format: .binary, options: 0)
    }

    /// The names of all classes that objects may be made of.
    ///
    /// - Throws: `notAnArchive` also where an object's class is not a class; Foundation would stop
    ///   there.
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

    /// Follows the references, each object once.
    ///
    /// - Throws: `nestedTooDeeply`, also where an object contains itself.
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
                    if let holder = open.indices.last {
                        open[holder].depth = max(open[holder].depth, done.depth + 1)
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
