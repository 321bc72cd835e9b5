import Foundation

/// `eras migrate`: scans sources for old names, prints what replaces them, and ends the process.
struct MigrateCommand: Sendable {
    let options: MigrateOptions

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

/// The text of a scan: a line for each finding, then what was not read, and the counts.
struct ScanReport {
    var scans: [SourceScan]
    var files: Int
    var omissions: [SourceFolder.Omission] = []
    var links = 0
    var skipped: [String] = []

    /// Whether nothing is left to do.
    var isClean: Bool { scans.allSatisfy(\.findings.isEmpty) && omissions.isEmpty }

    var text: String {
        let found = scans.flatMap { scan in
            scan.findings.map { Self.line(scan.path, $0) }
        }
        let left = omissions.map { "\($0.path): not read: \($0.reason)" }
        let passed = skipped.map { "\($0): passed over, it is not the project's own" }
        return (found + left + passed + [sum]).map { PrintableText.line($0) + "\n" }.joined()
    }

    private static func line(_ path: String, _ finding: SourceScan.Finding) -> String {
        let others = finding.lines.dropFirst()
        let also = others.prefix(20).map(String.init).joined(separator: ", ")
        let more = others.count > 20 ? " and \(others.count - 20) more" : ""
        let tail = others.isEmpty ? "" : " (also \(also)\(more))"
        return "\(path):\(finding.lines[0]): \(finding.text)\(tail)"
    }

    private var sum: String {
        let all = scans.flatMap(\.findings)
        guard !isClean else {
            return "\(Quantity.count(files, "source")): nothing left to do." + passing
        }
        let counts = [
            Quantity.count(all.count { $0.kind == .name }, "name"),
            Quantity.count(all.count { $0.kind == .row }, "row") + " of tables",
            "\(all.count { $0.kind == .unanswered }) without an answer",
        ]
        let touched = scans.count { !$0.findings.isEmpty }
        return "\(Quantity.count(files, "source")), \(touched) with something to do: "
            + counts.joined(separator: ", ") + "." + passing
    }

    private var passing: String {
        links == 0 ? "" : " \(Quantity.count(links, "link")) not followed."
    }
}
