/// A type as it is written: `Transfer.State` is two words, `[Cookie]` an Array of `Cookie`.
struct TypeName: Equatable, Sendable {
    var path: [String]
    var element: [String]?
}

/// What one source declares and what it uses, as far as its text says.
struct SourceFacts: Sendable {
    var imports: [String] = []
    var declarations: [Declaration] = []
    var uses: [Use] = []

    struct Declaration: Sendable {
        enum Kind: Sendable {
            case type, function, value
        }

        var kind: Kind
        /// The word that it begins with, for example `class`, `var` or `extension`.
        var keyword: String
        var name: String
        /// The type around it, from the outermost on; none at the top level.
        var owner: [String]
        var line: Int
        var isPrivate = false
        /// A function's argument labels.
        var labels: [String] = []
        /// A value's or a result's type, or what a typealias stands for, where it is written.
        var type: TypeName?
        /// The expression that a value without a written type begins with.
        var initial: Use?
        /// What stands behind a type's colon, there or at an extension.
        var supertypes: [[String]] = []
        /// An extension declares nothing itself, but what it says behind the colon counts.
        var isExtension: Bool { keyword == "extension" }
    }

    /// Names with dots between them, `stage.server.add(path:)`.
    struct Use: Sendable {
        struct Link: Sendable {
            var name: String
            /// The labels of a call; nil where nothing is called.
            var labels: [String]?
            var isSubscripted = false
        }

        /// What stands before the first name.
        indirect enum Receiver: Sendable {
            /// Nothing: the name is looked up from the inside out.
            case scope
            /// An expression or a dot alone, whose type is not known here.
            case unknown
            case type(TypeName)
            /// What another expression results in, for example what a local constant began with.
            case result(of: Use)
        }

        var links: [Link]
        var receiver: Receiver
        /// The type whose body it stands in.
        var scope: [String]
        var line: Int
    }
}
