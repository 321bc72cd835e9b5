import Foundation

/// `eras migrate`: scans sources for old names, prints what replaces them, and ends the process.
struct MigrateCommand: Sendable {
    private let options: MigrateOptions

    init(_ options: MigrateOptions) {
        self.options = options
    }

    /// - Throws: `UsageError` where a path cannot be read.
    func begin() throws {
        let folders = try options.paths.map { path throws(UsageError) in
            do throws(DiskError) {
                return try SourceFolder(path)
            } catch {
                throw UsageError(sentence: error.description, topic: .migrate)
            }
        }
        Thread {
            let report = Self.report(folders)
            Console.toOutput(report.text)
            (report.isClean ? ExitCode.success : .failed).leave()
        }.start()
    }

    /// Reads each source twice, because declarations in one decide about names in another.
    static func report(_ folders: [SourceFolder]) -> ScanReport {
        let index = RenameIndex()
        var project = ProjectNames()
        var report = ScanReport(
            scans: [], files: 0, omissions: folders.flatMap(\.omissions),
            links: folders.reduce(0) { $0 + $1.links }, skipped: folders.flatMap(\.skipped))
        for folder in folders {
            for path in folder.paths {
                guard let source = source(path, folder, index) else { continue }
                project.add(source, index)
            }
        }
        let scanner = SourceScanner(project, index: index)
        for folder in folders {
            for path in folder.paths {
                switch folder.contents(path) {
                case .success(let bytes):
                    report.files += 1
                    let source = ScannedSource(path: path, bytes: bytes, index: index)
                    report.scans.append(scanner.scan(source))
                case .failure(let error):
                    let reason = String(cString: strerror(error.code))
                    report.omissions.append(SourceFolder.Omission(path: path, reason: reason))
                }
            }
        }
        return report
    }

    private static func source(
        _ path: String, _ folder: SourceFolder, _ index: RenameIndex
    ) -> ScannedSource? {
        guard case .success(let bytes) = folder.contents(path) else { return nil }
        return ScannedSource(path: path, bytes: bytes, index: index)
    }
}
