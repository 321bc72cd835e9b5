import Foundation
import ParitySupport

/// A folder with the files that a case names; it stands for `{tmp}`.
struct FormRoom {
    let folder: URL

    static func with<Value>(_ body: (FormRoom) throws -> Value) throws -> Value {
        let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appendingPathComponent("request-era-" + UUID().uuidString)
        try FileManager.default.createDirectory(
            at: folder.appendingPathComponent("dir.d"), withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try Data("old".utf8).write(to: folder.appendingPathComponent("w2"))
        return try body(FormRoom(folder: folder))
    }

    func url(_ text: String) throws -> URL {
        guard let url = URL(string: text.replacingOccurrences(of: "{tmp}", with: folder.path))
        else {
            throw Unplayed("the URL \(text)")
        }
        return url
    }

    func data(_ part: GoldenValue) throws -> Data { try part["data"]?.swiftData() ?? Data() }

    /// The file of a part; it is made unless its name says that it is not there.
    func file(_ part: GoldenValue) throws -> URL {
        let url = try url(part["url"]?.string ?? "")
        let name = url.lastPathComponent
        guard url.isFileURL, url.path.hasPrefix(folder.path + "/"), !name.hasPrefix("missing"),
            !FileManager.default.fileExists(atPath: url.path)
        else { return url }
        try Self.contents(name).write(to: url)
        return url
    }

    /// What the recorder's files hold, by their names.
    static func contents(_ name: String) throws -> Data {
        if let match = name.firstMatch(of: /^size-([0-9]+)\./), let size = Int(match.1) {
            return Data((0..<size).map { UInt8($0 % 251) })
        }
        if let match = name.firstMatch(of: /^p([0-9])\.bin$/), let place = Int(match.1) {
            return Data((0..<(place * 700)).map { UInt8($0 % 251) })
        }
        return Data("x".utf8)
    }

    /// An error as the recordings write it.
    func error(_ error: any Error) -> GoldenValue { shown(SeenValue.error(error)) }

    /// With `{tmp}` in place of the folder.
    func shown(_ value: GoldenValue) -> GoldenValue {
        value.replacing(folder.path, with: "{tmp}")
    }
}
