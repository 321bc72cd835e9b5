import Foundation

/// Pure: one URL of the list with its place, or the reason why it cannot be loaded.
struct DownloadItem: Sendable, Equatable {
    var index: Int
    /// As it was given.
    var text: String
    var target: Target?
    var problem: DownloadError?

    struct Target: Sendable, Equatable {
        var url: URL
        var place: FilePlace
    }

    /// The items of a list, in its order; names depend on that order alone.
    static func list(_ texts: [String], directory: String) -> [DownloadItem] {
        var names = FileNames()
        return texts.enumerated().map { index, text in
            do throws(DownloadError) {
                let url = try url(text)
                let place = FilePlace(directory: directory, name: names.next(for: url))
                return DownloadItem(
                    index: index, text: text, target: Target(url: url, place: place))
            } catch {
                return DownloadItem(index: index, text: text, problem: error)
            }
        }
    }

    private static func url(_ text: String) throws(DownloadError) -> URL {
        // As bytes, because CR LF is one character to Swift.
        guard text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw .unusableURL("The URL holds a control character, for example a line end.")
        }
        guard let url = URL(string: text), let scheme = url.scheme?.lowercased() else {
            throw .unusableURL("This is no URL; write it as https://host/path.")
        }
        guard scheme == "http" || scheme == "https" else {
            throw .unusableURL("Only http and https URLs can be fetched, not \(scheme).")
        }
        guard let host = url.host(percentEncoded: true), !host.isEmpty else {
            throw .unusableURL("The URL names no host; write it as \(scheme)://host/path.")
        }
        return url
    }
}
