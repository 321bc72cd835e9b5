import Foundation
import FoundationNetworking
import HTTPSemantics

/// The contents of resume data: the request, the part, and the validator that shows whether the
/// file is still the same.
///
/// It is JSON. It leaves out the URL's user and password and the request's `Authorization`,
/// `Cookie` and `Proxy-Authorization`. It has the rest of the URL with its query, and every other
/// header field, also where they are secrets. A session adds its own header fields again. The part
/// is in the temporary directory of this machine. It is named without its folder, so that foreign
/// resume data cannot name a file elsewhere.
struct ResumeData: Codable {
    private var version = 1
    private let url: URL
    private let headers: [String: String]
    private let file: String
    private let partial: PartialContent

    private static let secrets: Set = ["authorization", "cookie", "proxy-authorization"]

    init(_ request: URLRequest, file: URL, _ partial: PartialContent) {
        url = request.url.map(Self.withoutUser) ?? file
        headers = (request.allHTTPHeaderFields ?? [:]).filter {
            !Self.secrets.contains($0.key.lowercased())
        }
        self.file = file.lastPathComponent
        self.partial = partial
    }

    private static func withoutUser(_ url: URL) -> URL {
        guard url.user != nil || url.password != nil,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return url }
        parts.user = nil
        parts.password = nil
        return parts.url ?? url
    }

    func encoded() -> Data? {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return try? encoder.encode(self)
    }

    /// The request to send and the part to continue, which only one task can claim.
    ///
    /// - Throws: `SessionError.unusableResumeData`.
    static func claim(_ data: Data) throws(SessionError) -> (URLRequest, DownloadFile) {
        guard let resumeData = read(data) else {
            throw .unusableResumeData("it was not made by this library.")
        }
        return (resumeData.request, try resumeData.claimed())
    }

    /// Removes the part, unless a task has claimed it.
    static func discard(_ data: Data) {
        if let resumeData = read(data) { unlink(resumeData.place.path) }
    }

    private static func read(_ data: Data) -> ResumeData? {
        guard let resumeData = try? JSONDecoder().decode(ResumeData.self, from: data),
            resumeData.version == 1, !resumeData.file.contains("/"),
            resumeData.file.hasSuffix(".download"), resumeData.partial.offset > 0
        else { return nil }
        return resumeData
    }

    private var place: URL { DownloadFile.directory.appendingPathComponent(file) }

    private var request: URLRequest {
        var request = URLRequest(url: url)
        for (field, value) in headers {
            request.setValue(value, forHTTPHeaderField: field)
        }
        return request
    }

    private func claimed() throws(SessionError) -> DownloadFile {
        let manager = FileManager.default
        let new = DownloadFile.directory.appendingPathComponent(
            "\(UUID().uuidString).download")
        do {
            try manager.moveItem(at: place, to: new)
        } catch {
            throw .unusableResumeData("its file is not there any more, or was used already.")
        }
        let size = try? manager.attributesOfItem(atPath: new.path)[.size] as? NSNumber
        guard let size = size?.int64Value, size >= partial.offset else {
            unlink(new.path)
            throw .unusableResumeData("its file is shorter than it says.")
        }
        return DownloadFile(new, from: place, partial)
    }
}
