import ParitySupport
import TestSupport

@testable import RequestEra

/// The cases of request-parameters.json that ask a manager, or for a constant.
enum ManagerCases {
    /// `asURL()`, then a request that is not started.
    static func url(_ text: GoldenValue) throws -> GoldenValue {
        let text = text.string ?? ""
        let manager = idleManager()
        let request = manager.request(text)
        var members: [String: GoldenValue] = [
            "description": .string(request.description),
            "hasTask": .bool(request.task != nil),
            "request.delegate.error": SeenValue.error(request.delegate.error),
            "request.request.url": SeenValue.text(request.request?.url?.absoluteString),
        ]
        do {
            members["url"] = .string(try text.asURL().absoluteString)
        } catch {
            members["error"] = SeenValue.error(error)
        }
        return .object(members)
    }

    static func components(_ name: String) throws -> GoldenValue {
        var components = URLComponents()
        switch name {
        case "empty": break
        case "path-without-slash": (components.host, components.path) = ("example.com", "p")
        case "double-slash-path": components.path = "//p"
        default: throw Unplayed("components \(name)")
        }
        do {
            return ["url": .string(try components.asURL().absoluteString)]
        } catch {
            return ["error": SeenValue.error(error)]
        }
    }

    static func request(_ input: GoldenValue) throws -> GoldenValue {
        let manager = idleManager()
        let isJSON = input["encoding"]?.string == "JSONEncoding.default"
        let encoding: any ParameterEncoding = isJSON ? JSONEncoding.default : URLEncoding.default
        let request = manager.request(
            input["url"]?.string ?? "", method: try method(input),
            parameters: try input["parameters"]?.swiftMembers(), encoding: encoding,
            headers: headers(input))
        guard let made = request.request else { throw Unplayed("no request") }
        var members = ParameterCases.members(of: made)
        if !isJSON { members["description"] = .string(request.description) }
        return .object(members)
    }

    static func method(_ input: GoldenValue) throws -> HTTPMethod {
        guard let method = HTTPMethod(rawValue: input["method"]?.string ?? "") else {
            throw Unplayed("the method of \(input)")
        }
        return method
    }

    static func headers(_ input: GoldenValue) -> HTTPHeaders? {
        input["headers"]?.members.compactMapValues(\.string)
    }

    static func authorization(_ user: String, _ input: GoldenValue) -> GoldenValue {
        let header = Request.authorizationHeader(
            user: user, password: input["password"]?.string ?? "")
        return ["key": SeenValue.text(header?.key), "value": SeenValue.text(header?.value)]
    }

    static var constants: GoldenValue {
        let methods: [(String, HTTPMethod)] = [
            ("connect", .connect), ("delete", .delete), ("get", .get), ("head", .head),
            ("options", .options), ("patch", .patch), ("post", .post), ("put", .put),
            ("trace", .trace),
        ]
        let headers = SessionManager.defaultHTTPHeaders
        let names = [
            Notification.Name.Task.DidResume, Notification.Name.Task.DidSuspend,
            Notification.Name.Task.DidCancel, Notification.Name.Task.DidComplete,
        ]
        return [
            "HTTPMethod": .object(
                Dictionary(uniqueKeysWithValues: methods.map { ($0, .string($1.rawValue)) })),
            "Accept-Encoding": SeenValue.text(headers["Accept-Encoding"]),
            "defaultHTTPHeaders.keys": .array(headers.keys.sorted().map { .string($0) }),
            "DownloadOptions": [
                "createIntermediateDirectories": .int(
                    Int(DownloadRequest.DownloadOptions.createIntermediateDirectories.rawValue)),
                "removePreviousFile": .int(
                    Int(DownloadRequest.DownloadOptions.removePreviousFile.rawValue)),
            ],
            "keys": [
                .string(Notification.Key.Task), .string(Notification.Key.ResponseData),
            ],
            "multipartFormDataEncodingMemoryThreshold": .int(
                Int(SessionManager.multipartFormDataEncodingMemoryThreshold)),
            "notifications": .array(names.map { .string($0.rawValue) }),
            "startRequestsImmediately": .bool(
                SessionManager(configuration: .ephemeral).startRequestsImmediately),
        ]
    }

    /// A manager that starts nothing.
    static func idleManager(
        _ configuration: URLSessionConfiguration = .ephemeral
    ) -> SessionManager {
        let manager = SessionManager(configuration: configuration)
        manager.startRequestsImmediately = false
        return manager
    }
}
