import Foundation

/// The package this test belongs to.
enum Package {
    /// Its folder; symbolic links on the way are followed.
    static let root = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
}
