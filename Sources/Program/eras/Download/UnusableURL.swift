/// A text of the list that is not a URL that can be loaded: why, and what to do.
struct UnusableURL: Error, Equatable, CustomStringConvertible {
    var description: String
}
