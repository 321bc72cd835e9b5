public import Foundation

/// What a load waits for while it has no place among the connections.
public enum LoadWait: Sendable, Hashable {
    /// For one of the connections to its origin, or of all.
    case connection
    /// For the moment of its next try.
    case retry(at: Date)
}
