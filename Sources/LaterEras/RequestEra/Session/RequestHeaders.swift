import Foundation

/// The header fields of the default configuration (AL-01).
enum RequestHeaders {
    static var all: HTTPHeaders {
        [
            "Accept-Encoding": "gzip;q=1.0, compress;q=0.5",
            "Accept-Language": acceptLanguage(Locale.preferredLanguages),
            "User-Agent": userAgent(Bundle.main.infoDictionary),
        ]
    }

    /// At most six, each wanted less than the one before.
    static func acceptLanguage(_ languages: [String]) -> String {
        languages.prefix(6).enumerated().map { place, language in
            "\(language);q=\(1.0 - Double(place) * 0.1)"
        }.joined(separator: ", ")
    }

    /// Program, version, bundle, build, system and this library.
    static func userAgent(_ info: [String: Any]?) -> String {
        guard let info else { return "Alamofire" }
        let text = { (key: String) in info[key] as? String ?? "Unknown" }
        let version = ProcessInfo.processInfo.operatingSystemVersion
        let system =
            "\(systemName) \(version.majorVersion).\(version.minorVersion).\(version.patchVersion)"
        return "\(text("CFBundleExecutable"))/\(text("CFBundleShortVersionString")) "
            + "(\(text("CFBundleIdentifier")); build:\(text("CFBundleVersion")); \(system)) "
            + "Alamofire/4.9.1"
    }

    private static var systemName: String {
        #if os(Linux)
            "Linux"
        #elseif os(macOS)
            "OS X"
        #else
            "Unknown"
        #endif
    }
}
