import Foundation
import FoundationNetworking
import OperationNetworking

/// The archive of a configuration, which Foundation cannot archive on Linux. It has
/// time-outs, the cache policy, cookies, cellular access, connections per host, and header fields
/// that are text. Stores, protocol classes and proxies are those of the default configuration.
///
/// The header fields are written unchanged, also when they hold a password.
enum SessionConfigurationArchive {
    private static let key = "sessionConfiguration"

    private struct Settings: Codable {
        var timeoutForRequest: Double
        var timeoutForResource: Double
        var cachePolicy: UInt
        var setsCookies: Bool
        var cookiePolicy: UInt
        var allowsCellular: Bool
        var connectionsPerHost: Int
        var headers: [String: String]
    }

    static func encode(_ configuration: URLSessionConfiguration, with coder: NSCoder) {
        var headers: [String: String] = [:]
        for (field, value) in configuration.httpAdditionalHeaders ?? [:] {
            if let field = field as? String, let value = value as? String { headers[field] = value }
        }
        let settings = Settings(
            timeoutForRequest: configuration.timeoutIntervalForRequest,
            timeoutForResource: configuration.timeoutIntervalForResource,
            cachePolicy: configuration.requestCachePolicy.rawValue,
            setsCookies: configuration.httpShouldSetCookies,
            cookiePolicy: configuration.httpCookieAcceptPolicy.rawValue,
            allowsCellular: configuration.allowsCellularAccess,
            connectionsPerHost: configuration.httpMaximumConnectionsPerHost,
            headers: headers)
        coder.encode(value: settings, forKey: key)
    }

    /// - Returns: the default configuration where none was written; nil where it cannot be read.
    static func decode(from coder: NSCoder) -> URLSessionConfiguration? {
        let configuration = URLSessionConfiguration.default
        guard coder.containsValue(forKey: key) else { return configuration }
        guard let settings = coder.value(Settings.self, forKey: key) else { return nil }
        configuration.timeoutIntervalForRequest = settings.timeoutForRequest
        configuration.timeoutIntervalForResource = settings.timeoutForResource
        configuration.requestCachePolicy =
            NSURLRequest.CachePolicy(rawValue: settings.cachePolicy) ?? .useProtocolCachePolicy
        configuration.httpShouldSetCookies = settings.setsCookies
        configuration.httpCookieAcceptPolicy =
            HTTPCookie.AcceptPolicy(rawValue: settings.cookiePolicy)
            ?? configuration.httpCookieAcceptPolicy
        configuration.allowsCellularAccess = settings.allowsCellular
        configuration.httpMaximumConnectionsPerHost = settings.connectionsPerHost
        configuration.httpAdditionalHeaders = settings.headers
        return configuration
    }
}
