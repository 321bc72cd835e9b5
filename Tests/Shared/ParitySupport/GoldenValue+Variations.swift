extension GoldenValue {
    /// Values that differ from it in one place.
    package var variations: [GoldenValue] {
        switch self {
        case .null: ["x", 0, false, .absent]
        case .bool(let flag): [.bool(!flag), .int(flag ? 1 : 0), .null]
        case .int(let number): [.int(number &+ 1), .double(Double(number)), .null]
        case .double(let number): [.double(number + 1), .null]
        case .string(let text): [.string(text + "x"), .null]
        case .array(let elements):
            [.array(elements + [.null])]
                + (elements.isEmpty ? [] : [.array(Array(elements.dropLast()))])
        case .object(let members):
            [.object(members.merging(["another": 1]) { $1 })]
                + members.keys.sorted().flatMap { name in
                    [.object(members.filter { $0.key != name })]
                        + (members[name]?.variations ?? []).map { other in
                            .object(members.merging([name: other]) { $1 })
                        }
                }
        }
    }
}
