/// The declarations of one module by name, and what a use of a name leads to.
struct ModuleIndex {
    struct Source: Sendable {
        /// From the module's folder on, for example `Curl/CurlCode.swift`.
        var path: String
        var facts: SourceFacts

        var folder: String { path.split(separator: "/").dropLast().joined(separator: "/") }
    }

    /// A declaration and the source that has it.
    struct Found {
        var source: Int
        var declaration: SourceFacts.Declaration
    }

    /// A type of this module or of another.
    struct Known {
        var name: String
        var element: String?
    }

    let name: String
    let sources: [Source]
    private var types: [String: [Found]] = [:]
    private var typeNames: [String: Set<String>] = [:]
    private var supertypes: [String: [[String]]] = [:]
    private var members: [String: [String: [Found]]] = [:]
    private var membersByName: [String: [Found]] = [:]
    private var globals: [String: [Found]] = [:]

    init(_ name: String, _ sources: [Source]) {
        self.name = name
        self.sources = sources
        for (index, source) in sources.enumerated() {
            for declaration in source.facts.declarations {
                add(Found(source: index, declaration: declaration))
            }
        }
    }

    private mutating func add(_ found: Found) {
        let declaration = found.declaration
        let owner = declaration.owner.joined(separator: ".")
        let path = (declaration.owner + [declaration.name]).joined(separator: ".")
        switch declaration.kind {
        case .type:
            supertypes[path, default: []] += declaration.supertypes
            if !declaration.isExtension {
                types[path, default: []].append(found)
                typeNames[declaration.name, default: []].insert(path)
            }
        case .function, .value:
            if declaration.owner.isEmpty {
                globals[declaration.name, default: []].append(found)
            } else {
                members[owner, default: [:]][declaration.name, default: []].append(found)
                membersByName[declaration.name, default: []].append(found)
            }
        }
    }

    // MARK: Types

    /// The module's own type of that name, seen from inside others, or nil.
    private func ownType(_ path: [String], in scope: [String]) -> String? {
        let path = path.first == name && path.count > 1 ? Array(path.dropFirst()) : path
        for count in stride(from: scope.count, through: 0, by: -1) {
            let outer = Array(scope.prefix(count))
            let whole = (outer + path).joined(separator: ".")
            if types[whole] != nil { return whole }
            if count > 0, path.count == 1,
                let inherited = inheritedType(path[0], outer.joined(separator: "."))
            {
                return inherited
            }
        }
        return nil
    }

    private func inheritedType(_ name: String, _ type: String) -> String? {
        supertypes[type]?.lazy.map { $0.joined(separator: ".") + "." + name }
            .first { types[$0] != nil }
    }

    private func known(_ type: TypeName, in scope: [String]) -> Known {
        let element = type.element.map { known(TypeName(path: $0), in: scope).name }
        guard let own = ownType(type.path, in: scope) else {
            return Known(name: type.path.joined(separator: "."), element: element)
        }
        if let alias = types[own]?.first?.declaration, let target = alias.type {
            // `typealias Name = Module.Name` inside of a type means the name outside.
            let isItself = ownType(target.path, in: alias.owner) == own
            if isItself && alias.owner.isEmpty { return Known(name: own, element: element) }
            return known(target, in: isItself ? [] : alias.owner)
        }
        return Known(name: own, element: element)
    }

    // MARK: Members

    private func members(
        of type: String, _ link: SourceFacts.Use.Link, _ seen: inout Set<String>
    ) -> [Found] {
        guard seen.insert(type).inserted else { return [] }
        let own = (members[type]?[link.name] ?? []).filter { Self.fits($0.declaration, link) }
        if !own.isEmpty { return own }
        let scope = type.split(separator: ".").map(String.init)
        for supertype in supertypes[type] ?? [] {
            let name = known(TypeName(path: supertype), in: scope.dropLast()).name
            let found = members(of: name, link, &seen)
            if !found.isEmpty { return found }
        }
        return []
    }

    private func members(of type: String, _ link: SourceFacts.Use.Link) -> [Found] {
        var seen: Set<String> = []
        if type.hasSuffix(".super") {
            let type = String(type.dropLast(6))
            return (supertypes[type] ?? []).lazy.map {
                members(of: $0.joined(separator: "."), link, &seen)
            }.first { !$0.isEmpty } ?? []
        }
        return members(of: type, link, &seen)
    }

    /// Whether a call with these labels can mean the function.
    private static func fits(
        _ declaration: SourceFacts.Declaration, _ link: SourceFacts.Use.Link
    ) -> Bool {
        guard declaration.kind == .function, let labels = link.labels else { return true }
        var rest = declaration.labels[...]
        for label in labels {
            guard let index = rest.firstIndex(of: label) else { return false }
            rest = rest[(index + 1)...]
        }
        return true
    }

    /// Whether a member stands in another folder than its type, or in an extension of a type of
    /// another module.
    func isApart(_ found: Found) -> Bool {
        let owner = found.declaration.owner.joined(separator: ".")
        let folder = sources[found.source].folder
        return !(types[owner] ?? []).contains { sources[$0.source].folder == folder }
    }

    // MARK: Uses

    /// Goes along the names of a use.
    ///
    /// - Parameter found: called for each name that this module declares, with all its declarations
    ///   that the name can mean, and whether the type before it was known.
    /// - Returns: the type of the whole, where it is known.
    @discardableResult
    func follow(
        _ use: SourceFacts.Use, _ found: (String, [Found], Bool) -> Void
    ) -> Known? {
        var links = use.links[...]
        var current: Known?
        switch use.receiver {
        case .scope: current = begin(use, &links, found)
        case .unknown: break
        case .type(let type) where type.path == use.scope:
            current = Known(name: type.path.joined(separator: "."))
        case .type(let type): current = known(type, in: use.scope)
        case .result(let before): current = follow(before) { _, _, _ in }
        }
        for link in links {
            current = step(from: current, link, found)
        }
        return current
    }

    private func step(
        from type: Known?, _ link: SourceFacts.Use.Link, _ found: (String, [Found], Bool) -> Void
    ) -> Known? {
        guard let type else {
            let all = (membersByName[link.name] ?? []).filter { Self.fits($0.declaration, link) }
            if !all.isEmpty { found(link.name, all, false) }
            return all.count == 1 ? result(all[0], link) : nil
        }
        let nested = type.name + "." + link.name
        if let declarations = types[nested] {
            found(link.name, declarations, true)
            return Known(name: nested)
        }
        if link.name == "init" { return type }
        let all = members(of: type.name, link)
        if let first = all.first {
            found(link.name, all, true)
            return result(first, link)
        }
        if let element = type.element, Self.elements.contains(link.name) {
            return Known(name: element)
        }
        return Self.same.contains(link.name) ? type : nil
    }

    /// Members of arrays that are an element, and members that are the same kind of array.
    private static let elements: Set = ["first", "last", "popLast", "removeFirst", "removeLast"]
    private static let same: Set = ["self", "filter", "reversed", "sorted", "lazy", "dropFirst"]

    /// The first names of a use that begins with no type.
    private func begin(
        _ use: SourceFacts.Use, _ links: inout ArraySlice<SourceFacts.Use.Link>,
        _ found: (String, [Found], Bool) -> Void
    ) -> Known? {
        guard let link = links.popFirst() else { return nil }
        for count in stride(from: use.scope.count, to: 0, by: -1) {
            let outer = use.scope.prefix(count).joined(separator: ".")
            let all = members(of: outer, link)
            if let first = all.first {
                found(link.name, all, true)
                return result(first, link)
            }
        }
        if let own = ownType([link.name], in: use.scope), let declarations = types[own] {
            found(link.name, declarations, true)
            return known(TypeName(path: own.split(separator: ".").map(String.init)), in: [])
        }
        if link.name == name, let next = links.first, let declarations = types[next.name] {
            links.removeFirst()
            found(next.name, declarations, true)
            return Known(name: next.name)
        }
        if let all = globals[link.name]?.filter({ Self.fits($0.declaration, link) }),
            let first = all.first
        {
            found(link.name, all, true)
            return result(first, link)
        }
        let isType = link.name.first?.isUppercase == true
        return isType ? Known(name: link.name) : nil
    }

    /// The type of a value, or of what a function returns.
    private func result(_ found: Found, _ link: SourceFacts.Use.Link) -> Known? {
        let declaration = found.declaration
        var type: Known?
        if let written = declaration.type {
            type = known(written, in: declaration.owner)
        } else if let initial = declaration.initial {
            type = follow(initial) { _, _, _ in }
        }
        guard link.isSubscripted else { return type }
        return type?.element.map { Known(name: $0) }
    }
}
