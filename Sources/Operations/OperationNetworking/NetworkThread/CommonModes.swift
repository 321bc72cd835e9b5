import Foundation

extension Set<RunLoop.Mode> {
    /// The common modes, made once: a literal would be made, and hashed, wherever it stands.
    static let commonModes: Set = [.common]
}
