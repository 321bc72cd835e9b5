import OperationNetworking
import TestSupport

/// Downloads one file of a list into a folder.
final class FileOperation: HTTPRequestOperation, @unchecked Sendable {
    // @unchecked because it restates the superclass; it has no variables of its own.

    /// The last part of the path.
    var fileName: String { request.url?.lastPathComponent ?? "" }

    static func make(_ request: URLRequest, into folder: URL) -> FileOperation {
        let operation = FileOperation(request: request)
        let file = folder.appendingPathComponent(operation.fileName)
        operation.outputStream = OutputStream(url: file, append: false)
        return operation
    }
}

/// Keeps a folder equal to a list on a server: three files at a time, with retries.
final class SyncEngine: Sendable {
    /// What became of a file.
    enum End: Sendable, Equatable {
        case saved, cancelled, failed
    }

    struct State: Sendable {
        /// Bytes of each file, as its progress told last.
        var bytes: [String: Int64] = [:]
        var ends: [String: End] = [:]
        var retries: [String: Int] = [:]
    }

    let manager: HTTPRequestOperationManager
    let state = Watched(State())
    private let folder: URL
    private let exam: Exam

    init(_ exam: Exam, _ folder: URL) {
        self.exam = exam
        self.folder = folder
        manager = exam.manager()
        manager.operationQueue.maxConcurrentOperationCount = 3
    }

    /// The names on the server's list.
    func list() async throws -> [String] {
        let operation = manager.get("list", success: exam.success, failure: exam.failure)
        return try await exam.outcome(of: operation).value("files") as? [String] ?? []
    }

    func download(_ names: [String]) {
        names.forEach(download)
    }

    private func download(_ name: String) {
        let operation = FileOperation.make(exam.request("files/\(name)"), into: folder)
        operation.setDownloadProgressBlock { [state] _, total, _ in
            state.change { $0.bytes[name] = total }
        }
        let success = exam.success { [weak self] _, _ in self?.end(name, .saved) }
        let failure = exam.failure { [weak self] operation, error in
            self?.failed(name, operation, error)
        }
        operation.setCompletionBlock(success: success) { failure($0, $1) }
        manager.enqueue(operation)
    }

    private func failed(
        _ name: String, _ operation: HTTPRequestOperation?, _ error: any Error
    ) {
        if (error as NSError).code == NSURLErrorCancelled {
            end(name, .cancelled)
        } else if operation?.response?.statusCode == 503 {
            state.change { $0.retries[name, default: 0] += 1 }
            download(name)
        } else {
            end(name, .failed)
        }
    }

    private func end(_ name: String, _ end: End) {
        state.change { $0.ends[name] = end }
    }

    // MARK: - Everything at once

    private var operations: [FileOperation] {
        manager.operations.compactMap { $0 as? FileOperation }
    }

    func pauseAll() {
        operations.forEach { $0.pause() }
    }

    func resumeAll() {
        operations.forEach { $0.resume() }
    }

    func cancel(_ names: Set<String>) {
        operations.filter { names.contains($0.fileName) }.forEach { $0.cancel() }
    }

    /// Uploads the list of what is in the folder.
    func uploadManifest() async throws -> ExamRecord.Outcome {
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        let manifest = try JSONSerialization.data(withJSONObject: names)
        let operation = manager.post(
            "post", parameters: ["count": names.count],
            constructingBody: { form in
                form.appendPart(
                    fileData: manifest, name: "manifest", fileName: "manifest.json",
                    mimeType: "application/json")
            }, success: exam.success, failure: exam.failure)
        return try await exam.outcome(of: operation)
    }
}
