/// The folder of Package.swift; symbolic links on the way are followed.
public let packageFolder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

/// The folder of a module of `Sources`, whichever group it is in.
///
/// - Throws: if there is none.
public func sourceFolder(of module: String) throws -> URL {
    let sources = packageFolder.appendingPathComponent("Sources")
    let groups = try FileManager.default.contentsOfDirectory(
        at: sources, includingPropertiesForKeys: nil)
    let folders = groups.map { $0.appendingPathComponent(module) }
    guard let folder = folders.first(where: { FileManager.default.fileExists(atPath: $0.path) })
    else {
        throw CocoaError(.fileNoSuchFile, userInfo: [NSFilePathErrorKey: module])
    }
    return folder
}
