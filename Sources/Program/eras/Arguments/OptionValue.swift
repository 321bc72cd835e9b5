/// How the value of an option is read.
struct ValueKind<Value> {
    /// A description of the value.
    let meaning: String
    /// What an error says that the option needs, for a text that is no such value.
    let refusal: (String) -> String
    /// Parses a text; nil where it is no such value.
    let read: (String) -> Value?

    init(
        _ meaning: String, refusal: ((String) -> String)? = nil,
        _ read: @escaping (String) -> Value?
    ) {
        self.meaning = meaning
        self.refusal = refusal ?? { "\(meaning), not \"\($0)\"" }
        self.read = read
    }
}

extension ValueKind<String> {
    static func text(_ meaning: String) -> Self { Self(meaning) { $0 } }
}

extension ValueKind<Int> {
    static func number(_ bounds: ClosedRange<Int>) -> Self {
        Self("a whole number from \(bounds.lowerBound) to \(bounds.upperBound)") { text in
            Int(text).flatMap { bounds.contains($0) ? $0 : nil }
        }
    }
}

extension ValueKind<Double> {
    /// A positive number, at most a day.
    static var seconds: Self {
        Self("a number of seconds above 0 and up to 86400") { text in
            Double(text).flatMap { $0 > 0 && $0 <= 86_400 ? $0 : nil }
        }
    }

    static var secondsOrNone: Self {
        Self("a number of seconds from 0 to 86400") { Double($0) == 0 ? 0 : seconds.read($0) }
    }
}

extension ValueKind<Int64> {
    private static let meaning = "a number of bytes, as 500k or 2M"

    /// A positive number of bytes; k, M and G after it mean 1024, its square and its cube.
    static var size: Self {
        Self(meaning) { text in
            "\(parts(text) == nil ? meaning : "at most 1048576G"), not \"\(text)\""
        } _: { text in
            guard let (number, factor) = parts(text) else { return nil }
            let (size, isTooLarge) = number.multipliedReportingOverflow(by: factor)
            return isTooLarge || size > 1 << 50 ? nil : size
        }
    }

    private static func parts(_ text: String) -> (number: Int64, factor: Int64)? {
        let powers: [Character: Int64] = ["k": 1 << 10, "m": 1 << 20, "g": 1 << 30]
        let factor = text.last.flatMap { powers[Character($0.lowercased())] }
        return Int64(factor == nil ? text[...] : text.dropLast()).flatMap {
            $0 > 0 ? ($0, factor ?? 1) : nil
        }
    }
}

extension ValueKind<URLSource> {
    static var list: Self {
        Self("a file with one URL a line") { text in
            let isAddress = ["http://", "https://"].contains { text.lowercased().hasPrefix($0) }
            return text == "-" ? .standardInput : isAddress ? .address(text) : .file(text)
        }
    }
}

/// An option's value: its description, and the property that it sets.
struct OptionValue<Options> {
    /// A description of the value; empty where the option takes none.
    var needs = ""
    /// Sets the property.
    ///
    /// - Returns: a description of the right value where this one is wrong, else nil.
    let take: (inout Options, String) -> String?

    private static func storing<Value>(
        _ kind: ValueKind<Value>, _ store: @escaping (inout Options, Value) -> Void
    ) -> Self {
        Self(needs: kind.meaning) { options, text in
            guard let value = kind.read(text) else { return kind.refusal(text) }
            store(&options, value)
            return nil
        }
    }

    static func set<Value>(
        _ path: WritableKeyPath<Options, Value>, _ kind: ValueKind<Value>
    ) -> Self {
        storing(kind) { $0[keyPath: path] = $1 }
    }

    static func set<Value>(
        _ path: WritableKeyPath<Options, Value?>, _ kind: ValueKind<Value>
    ) -> Self {
        storing(kind) { $0[keyPath: path] = $1 }
    }

    static func add<Value>(
        _ path: WritableKeyPath<Options, [Value]>, _ kind: ValueKind<Value>
    ) -> Self {
        storing(kind) { $0[keyPath: path].append($1) }
    }

    static func flag<Value>(_ path: WritableKeyPath<Options, Value>, _ value: Value) -> Self {
        Self { options, _ in
            options[keyPath: path] = value
            return nil
        }
    }

    static func flag(_ path: WritableKeyPath<Options, Bool>) -> Self { flag(path, true) }

    /// An option without an effect.
    static var nothing: Self { Self { _, _ in nil } }
}
