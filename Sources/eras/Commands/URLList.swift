import Foundation
import FoundationNetworking
import OperationNetworking

/// The URLs of a command: those of the arguments, and those of lists.
struct URLList {
    let urls: [String]
    let sources: [URLSource]

    /// What the request of a server's list gets.
    var setup = TransferSetup()

    /// The URLs of the arguments and then those of the lists; of standard input where neither is
    /// given and it is no terminal.
    ///
    /// - Throws: `DiskError` for an unusable list; for a list of a server, `UnusableURL`,
    ///   `URLError`, or `ListError` for its answer.
    func read() throws -> [String] {
        var sources = sources
        if sources.isEmpty, urls.isEmpty, !Console.isInputATerminal {
            sources = [.standardInput]
        }
        return urls + (try sources.flatMap { FetchOptions.urls(inList: try text(of: $0)) })
    }

    private func text(of source: URLSource) throws -> String {
        switch source {
        case .standardInput:
            return String(
                decoding: try InputFile(NewFile.standardOutput).read(), as: UTF8.self)
        case .file(let path):
            return String(decoding: try InputFile(path).read(), as: UTF8.self)
        case .address(let text):
            let url = try DownloadItem.url(text)
            let operation = URLConnectionOperation(request: setup.request(url))
            setup.prepare(operation)
            operation.start()
            operation.waitUntilFinished()
            if let error = operation.error { throw error }
            if let status = (operation.response as? HTTPURLResponse)?.statusCode, status != 200 {
                throw ListError(address: text, status: status)
            }
            return String(decoding: operation.responseData ?? Data(), as: UTF8.self)
        }
    }
}
