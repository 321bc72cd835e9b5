import Foundation

/// Picture files that others made, beside the tests and, where `PICTURES_DIR` names it, all of them.
struct PictureCollection: Sendable {
    let cases: [PictureCase]
    private let folders: [URL]

    /// The pictures beside the tests: a selection of small ones.
    static let own = Result {
        guard let folder = Bundle.module.url(forResource: "Pictures", withExtension: nil) else {
            throw CocoaError(.fileNoSuchFile)
        }
        return PictureCollection(
            cases: try PictureCase.all(in: folder.appendingPathComponent("pictures.json")),
            folders: [folder])
    }

    /// The whole collection; nil where it is not at hand.
    static let whole: Result<PictureCollection, any Error>? = {
        guard let path = ProcessInfo.processInfo.environment["PICTURES_DIR"] else { return nil }
        return Result {
            let folder = URL(fileURLWithPath: path)
            let cases = try PictureCase.all(in: folder.appendingPathComponent("pictures.json"))
            let made = try makeHostile(folder.appendingPathComponent("make_hostile.py"))
            return PictureCollection(
                cases: cases, folders: [folder.appendingPathComponent("files"), made])
        }
    }()

    /// The whole collection where it is at hand, else the tests' own.
    static var largest: Result<PictureCollection, any Error> { whole ?? own }

    func data(of picture: PictureCase) throws -> Data {
        let files = folders.map { $0.appendingPathComponent(picture.id) }
        let file = files.first { FileManager.default.fileExists(atPath: $0.path) }
        guard let file else { throw CocoaError(.fileNoSuchFile) }
        return try Data(contentsOf: file)
    }

    /// Lets the collection's script write the bombs, into a folder of that name.
    private static func makeHostile(_ script: URL) throws -> URL {
        let folder = FileManager.default.temporaryDirectory
            .appendingPathComponent("pictures-\(ProcessInfo.processInfo.processIdentifier)")
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", script.path, folder.appendingPathComponent("hostile").path,
        ]
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        return folder
    }
}
