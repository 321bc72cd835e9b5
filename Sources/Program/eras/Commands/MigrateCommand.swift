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

    /// Reads each source twice: whether a name is AFNetworking's can depend on a declaration in another source.
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

/// The result of a scan. Its text: the findings, what was not read, which folders were passed over, and the counts.
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
        return (found + left + passed + [summary]).map { PrintableText.line($0) + "\n" }.joined()
    }

    private static func line(_ path: String, _ finding: SourceScan.Finding) -> String {
        let others = finding.lines.dropFirst()
        let also = others.prefix(20).map(String.init).joined(separator: ", ")
        let more = others.count > 20 ? " and \(others.count - 20) more" : ""
        let noun = others.count == 1 ? "line" : "lines"
        let tail = others.isEmpty ? "" : " (also in \(noun) \(also)\(more))"
        return "\(path):\(finding.lines[0]): \(finding.text)\(tail)"
    }

    private var summary: String {
        let all = scans.flatMap(\.findings)
        guard !isClean else {
            return "\(Quantity.count(files, "source")): nothing left to do." + linksText
        }
        let counts = [
            Quantity.count(all.count { $0.kind == .name }, "renamed name"),
            Quantity.count(all.count { $0.kind == .row }, "note") + " from the migration guide",
            Quantity.count(all.count { $0.kind == .unanswered }, "name") + " without a replacement",
        ]
        let touched = scans.count { !$0.findings.isEmpty }
        return "\(Quantity.count(files, "source")), \(touched) with something to do: "
            + counts.joined(separator: ", ") + "." + linksText
    }

    private var linksText: String {
        links == 0 ? "" : " \(Quantity.count(links, "link")) not followed."
    }
}
