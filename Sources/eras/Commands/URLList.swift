import CurlConnection
import Foundation
import FoundationNetworking
import OperationNetworking

/// The URLs of a command: those of the arguments, and those of lists.
struct URLList {
    let urls: [String]
    let sources: [URLSource]

    /// Seconds of silence after which a server's list is given up.
    private static let timeout = 60.0

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
            let (data, response) = try URLConnection.sendSynchronousRequest(
                URLRequest(url: url, timeoutInterval: Self.timeout))
            if let status = (response as? HTTPURLResponse)?.statusCode, status != 200 {
                throw ListError(address: text, status: status)
            }
            return String(decoding: data, as: UTF8.self)
        }
    }
}

/// A server's answer that is no list.
struct ListError: Error, CustomStringConvertible {
    let address: String
    let status: Int

    var description: String {
        "There is no list at \(ShownURL.text(address)). \(DownloadError.status(status))"
    }
}
