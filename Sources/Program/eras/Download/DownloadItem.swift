import Foundation
import HTTPSemantics
import OperationNetworking

/// One URL of the list with its file, or the reason why it cannot be loaded.
struct DownloadItem: Sendable, Equatable {
    var index: Int
    var listed: ListedURL
    var target: Target?
    var problem: UnusableURL?
    /// The sum that the file must have; nil for any.
    var sum: FileSum?

    /// The URL as it was given.
    var text: String { listed.text }

    struct Target: Sendable, Equatable {
        var url: URL
        var place: FilePlace
    }

    static func list(
        _ texts: [String], directory: String, shard: Shard = .whole
    ) -> [DownloadItem] {
        list(texts.map { ListedURL(text: $0) }, directory: directory, shard: shard)
    }

    /// The items of a list, in its order, on which the names depend.
    ///
    /// - Parameters:
    ///   - shard: the part of the list to return. Names are those of the whole list, so that they are
    ///     equal in all jobs that share it.
    ///   - haveQueries: whether the names have the queries of the URLs.
    static func list(
        _ urls: [ListedURL], directory: String, shard: Shard = .whole, haveQueries: Bool = false
    ) -> [DownloadItem] {
        var names = FileNames()
        var items: [DownloadItem] = []
        for listed in urls {
            let text = listed.text
            var item = DownloadItem(index: items.count, listed: listed)
            do throws(UnusableURL) {
                let url = try url(text)
                let folder = listed.folder.map { FilePlace(directory: directory, name: $0).path }
                let name = names.next(
                    listed.name ?? FileNames.base(for: url, hasQuery: haveQueries),
                    in: listed.folder ?? "")
                let place = FilePlace(directory: folder ?? directory, name: name)
                item.target = Target(url: url, place: place)
            } catch {
                item.problem = error
            }
            if shard.contains(text) { items.append(item) }
        }
        return items
    }

    /// - Throws: `UnusableURL` where the text is no http or https URL.
    static func url(_ text: String) throws(UnusableURL) -> URL {
        // As bytes, because CR LF is one character to Swift.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw UnusableURL(
                description: "The URL holds a control character, for example a line end.")
        }
        guard let url = WrittenURL.url(text), let scheme = url.scheme?.lowercased() else {
            throw UnusableURL(description: "This is no URL; write it as https://host/path.")
        }
        guard scheme == "http" || scheme == "https" else {
            throw UnusableURL(
                description: "Only http and https URLs can be fetched, not \(scheme).")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw UnusableURL(
                description: "The URL names no host; write it as \(scheme)://host/path.")
        }
        return url
    }
}

/// Why a text of the list cannot be loaded, and what to do.
struct UnusableURL: Error, Equatable, CustomStringConvertible {
    var description: String
}

/// A server's response that is no list.
struct ListError: Error, CustomStringConvertible {
    let address: String
    let status: Int

    var description: String {
        "There is no list at \(ShownURL.text(address))."
    }
}

/// The part of a list that one of several jobs fetches.
///
/// It depends on the hash of each URL alone: a URL is always the same job's, whatever else is in the
/// list, and in any order.
struct Shard: Sendable, Equatable {
    static let whole = Shard(number: 1, count: 1)

    /// From 1 to `count`.
    var number: Int
    var count: Int

    /// Reads `i/n`; nil where `i` is not from 1 to `n`, or `n` is above a million.
    init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        guard parts.count == 2, let number = Int(parts[0]), let count = Int(parts[1]),
            (1...1_000_000).contains(count), (1...count).contains(number)
        else { return nil }
        self.init(number: number, count: count)
    }

    private init(number: Int, count: Int) {
        self.number = number
        self.count = count
    }

    func contains(_ address: String) -> Bool {
        guard count > 1 else { return true }
        return Self.value(of: address) % UInt64(count) == UInt64(number - 1)
    }

    /// The first eight bytes of the address's SHA-256.
    private static func value(of address: String) -> UInt64 {
        guard let hash = try? SHA256() else { return 0 }
        Array(address.utf8).withUnsafeBytes { hash.update($0) }
        let digits = (try? hash.digest())?.prefix(16) ?? ""
        return UInt64(digits, radix: 16) ?? 0
    }
}
