import Foundation

/// MIME types by file extension: the system's shared-mime-info, then a built-in table.
///
/// The system's table is read once, from the `mime/globs2` files in the folders of the XDG Base
/// Directory specification.
package struct MIMETypes: Sendable {
    /// The type of an unknown extension.
    package static let unknown = "application/octet-stream"

    package static let system = MIMETypes(
        globs: directories(of: ProcessInfo.processInfo.environment).compactMap {
            try? String(contentsOfFile: $0 + "/mime/globs2", encoding: .utf8)
        })

    private var types: [String: String] = [:]
    /// Types of extensions whose case matters, such as `C`.
    private var exactTypes: [String: String] = [:]

    /// - Parameter globs: the texts of `globs2` files, the most important first.
    init(globs: [String]) {
        for text in globs {
            add(text)
        }
        types.merge(Self.builtIn) { system, _ in system }
        types.merge(Self.original) { _, original in original }
    }

    /// The type of `png` is `image/png`. Case does not matter, except for a few extensions.
    package func type(ofExtension name: String) -> String {
        exactTypes[name] ?? types[name.lowercased()] ?? Self.unknown
    }

    // MARK: shared-mime-info

    /// The folders in the specification's order, the user's own first.
    static func directories(of environment: [String: String]) -> [String] {
        func value(_ name: String) -> String? {
            environment[name].flatMap { $0.isEmpty ? nil : $0 }
        }
        let home = value("XDG_DATA_HOME") ?? value("HOME").map { $0 + "/.local/share" }
        let shared = value("XDG_DATA_DIRS") ?? "/usr/local/share:/usr/share"
        return ([home].compactMap { $0 } + shared.split(separator: ":").map(String.init)).filter {
            $0.hasPrefix("/")
        }
    }

    /// Lines are `weight:type:glob` or `weight:type:glob:flags`, and the greater weight wins.
    private mutating func add(_ text: String) {
        var weights: [String: Int] = [:]
        for line in text.split(separator: "\n") where !line.hasPrefix("#") {
            let fields = line.split(separator: ":", omittingEmptySubsequences: false)
            guard fields.count >= 3, let weight = Int(fields[0]), fields[2].hasPrefix("*.") else {
                continue
            }
            let name = fields[2].dropFirst(2)
            guard !name.contains(where: { ".*?[".contains($0) }) else { continue }
            let isExact = fields.count > 3 && fields[3].split(separator: ",").contains("cs")
            let key = isExact ? String(name) : name.lowercased()
            let isKnown = isExact ? exactTypes[key] != nil : types[key] != nil
            // A file of higher precedence has named the extension.
            if isKnown, weights[key].map({ $0 >= weight }) ?? true { continue }
            weights[key] = weight
            if isExact {
                exactTypes[key] = String(fields[1])
            } else {
                types[key] = String(fields[1])
            }
        }
    }

    // MARK: Ours

    /// Extensions whose type in AFNetworking differs from the system's.
    private static let original = ["cer": "application/x-x509-ca-cert"]

    /// For machines without shared-mime-info.
    private static let builtIn = [
        "7z": "application/x-7z-compressed", "aac": "audio/aac", "avi": "video/x-msvideo",
        "bmp": "image/bmp", "bz2": "application/x-bzip", "crt": "application/x-x509-ca-cert",
        "css": "text/css", "csv": "text/csv", "der": "application/x-x509-ca-cert",
        "doc": "application/msword",
        "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "eml": "message/rfc822", "flac": "audio/flac", "gif": "image/gif",
        "gz": "application/gzip", "heic": "image/heif", "htm": "text/html", "html": "text/html",
        "ico": "image/vnd.microsoft.icon", "ics": "text/calendar", "jpeg": "image/jpeg",
        "jpg": "image/jpeg", "js": "application/javascript", "json": "application/json",
        "log": "text/x-log", "m4a": "audio/mp4", "m4v": "video/mp4", "md": "text/markdown",
        "mkv": "video/x-matroska", "mov": "video/quicktime", "mp3": "audio/mpeg",
        "mp4": "video/mp4", "mpeg": "video/mpeg", "ogg": "audio/ogg",
        "p12": "application/pkcs12", "pdf": "application/pdf",
        "pem": "application/x-x509-ca-cert", "png": "image/png",
        "ppt": "application/vnd.ms-powerpoint",
        "pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
        "psd": "image/vnd.adobe.photoshop", "rtf": "application/rtf", "svg": "image/svg+xml",
        "tar": "application/x-tar", "tif": "image/tiff", "tiff": "image/tiff",
        "txt": "text/plain", "vcf": "text/vcard", "wav": "audio/x-wav", "webm": "video/webm",
        "webp": "image/webp", "xls": "application/vnd.ms-excel",
        "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        "xml": "application/xml", "zip": "application/zip",
    ]
}
