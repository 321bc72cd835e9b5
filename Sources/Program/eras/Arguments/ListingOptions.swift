import Foundation
import FoundationNetworking
import OperationNetworking

/// The options of a command that loads a list of URLs.
protocol ListingOptions: CommandOptions {
    var urls: [String] { get set }
    var sources: [URLSource] { get set }
}

extension ListingOptions {
    mutating func take(_ operand: String, _ reader: ArgumentReader) {
        if operand == "-" {
            sources.append(.standardInput)
        } else {
            urls.append(operand)
        }
    }

    /// The URLs of the arguments and then those of the lists. Without either they are read from
    /// standard input, unless that is a terminal.
    ///
    /// - Parameter setup: the settings of the request for a server's list.
    /// - Throws: `DiskError` or `UsageError` for an unusable list; for a server's list `UnusableURL`,
    ///   `URLError`, or `ListError` for its response.
    func listed(_ setup: TransferSetup = TransferSetup()) throws -> [ListedURL] {
        var sources = sources
        if sources.isEmpty, urls.isEmpty, !Console.isInputATerminal {
            sources = [.standardInput]
        }
        do {
            let lists = try sources.map { try ListedURL.all(inList: text(of: $0, setup)) }
            return urls.map { ListedURL(text: $0) } + lists.joined()
        } catch let error as ListLineError {
            throw UsageError(sentence: error.description, topic: Self.topic)
        }
    }

    private func text(of source: URLSource, _ setup: TransferSetup) throws -> String {
        switch source {
        case .standardInput:
            return Self.text(try InputFile(InputFile.standardInput).read())
        case .file(let path):
            return Self.text(try InputFile(path).read())
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
            return Self.text(Array(operation.responseData ?? Data()))
        }
    }

    /// Decodes UTF-8, or UTF-16 after a byte order mark, which some editors and shells write.
    private static func text(_ bytes: [UInt8]) -> String {
        let isLittle = bytes.starts(with: [0xFF, 0xFE])
        guard isLittle || bytes.starts(with: [0xFE, 0xFF]) else {
            return String(decoding: bytes, as: UTF8.self)
        }
        let units = stride(from: 2, to: bytes.count - 1, by: 2).map { index in
            let (one, other) = (UInt16(bytes[index]), UInt16(bytes[index + 1]))
            return isLittle ? other << 8 | one : one << 8 | other
        }
        return String(decoding: units, as: UTF16.self)
    }
}
