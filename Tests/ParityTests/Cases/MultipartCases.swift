import Foundation
import FoundationNetworking

@testable import OperationNetworking

/// What the multipart requests make of a recorded input.
struct MultipartCases {
    /// A request as the recordings describe one, the error, or what cannot be said in Swift.
    enum Outcome {
        case request([String: GoldenValue])
        case failure(NSError)
        case unsayable(String)
    }

    /// What the recorder wrote for the boundary; it has the length of every boundary.
    static let boundary = "Boundary+DEADBEEFDEADBEEF"

    private struct Unsayable: Error {
        let what: String
    }

    private let input: GoldenValue
    private let folder: URL
    private var log: [GoldenValue] = []

    static func outcome(_ input: GoldenValue) -> Outcome {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "parity-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var run = MultipartCases(input: input, folder: folder)
        do {
            return .request(try run.described())
        } catch let error as Unsayable {
            return .unsayable(error.what)
        } catch {
            return .failure(error as NSError)
        }
    }

    private init(input: GoldenValue, folder: URL) {
        self.input = input
        self.folder = folder
    }

    // MARK: The request

    private mutating func described() throws -> [String: GoldenValue] {
        let request = try request()
        let headers = request.allHTTPHeaderFields ?? [:]
        var result: [String: GoldenValue] = [
            "HTTPShouldHandleCookies": .bool(request.httpShouldHandleCookies),
            "cachePolicy": .int(Int(request.cachePolicy.rawValue)),
            "hasBodyStream": .bool(request.httpBodyStream != nil),
            "method": request.httpMethod.map { .string($0) } ?? .null,
            "timeoutInterval": .int(Int(request.timeoutInterval)),
            "url": request.url.map { .string($0.absoluteString) } ?? .null,
        ]
        if !log.isEmpty { result["partLog"] = .array(log) }
        var own = ""
        if let type = headers["Content-Type"], let start = type.range(of: "boundary=") {
            own = String(type[start.upperBound...])
        }
        result["headers"] = .object(
            headers.mapValues {
                .string(own.isEmpty ? $0 : $0.replacingOccurrences(of: own, with: Self.boundary))
            })
        if let stream = request.httpBodyStream {
            result.merge(try read(stream, own)) { $1 }
        } else {
            result["bodyBase64"] =
                request.httpBody.map { .string($0.base64EncodedString()) } ?? .null
        }
        return result
    }

    private mutating func request() throws -> URLRequest {
        guard let parameters = Self.parameters(input["params"]) else {
            throw Unsayable(what: "Parameters are a dictionary.")
        }
        let serializer = serializer()
        let hasBlock = input["noBlock"]?.bool != true
        var steps: [(any MultipartFormData) throws -> GoldenValue?] = []
        for part in input["parts"]?.elements ?? [] { steps.append(try step(part)) }
        var failure: (any Error)?
        var log: [GoldenValue] = []
        let request = try serializer.multipartFormRequest(
            method: input["method"]?.string ?? "POST", urlString: "http://example.com/up",
            parameters: parameters.value,
            constructingBody: hasBlock
                ? { form in
                    do {
                        for step in steps { if let entry = try step(form) { log.append(entry) } }
                    } catch {
                        failure = error
                    }
                } : nil)
        if let failure { throw failure }
        self.log = log
        return request
    }

    /// Nil for what is no dictionary; keys of other types by their description.
    private static func parameters(_ value: GoldenValue?) -> (value: [String: Any]?, Void)? {
        guard let object = value?.object else { return (nil, ()) }
        if let dictionary = object as? [String: Any] { return (dictionary, ()) }
        guard let dictionary = object as? NSDictionary else { return nil }
        var result: [String: Any] = [:]
        for (key, value) in dictionary { result["\(key)"] = value }
        return (result, ())
    }

    private func serializer() -> HTTPRequestSerializer {
        let serializer =
            switch input["serializer"]?.string {
            case "json": JSONRequestSerializer()
            case "plist": PropertyListRequestSerializer()
            default: HTTPRequestSerializer()
            }
        serializer.setValue("en;q=1", forHTTPHeaderField: "Accept-Language")
        serializer.setValue("Oracle/1.0", forHTTPHeaderField: "User-Agent")
        let config = input["config"]
        for pair in config?["headers"]?.elements.map(\.elements) ?? [] where pair.count == 2 {
            serializer.setValue(pair[1].string, forHTTPHeaderField: pair[0].string ?? "")
        }
        if let pair = config?["basic"]?.elements.compactMap(\.string), pair.count == 2 {
            serializer.setAuthorizationHeaderField(username: pair[0], password: pair[1])
        }
        if let seconds = config?["timeout"]?.int {
            serializer.timeoutInterval = TimeInterval(seconds)
        }
        if let encoding = config?["encoding"]?.int {
            serializer.stringEncoding = String.Encoding(rawValue: UInt(encoding))
        }
        if let methods = config?["methodsInURI"]?.elements {
            serializer.httpMethodsEncodingParametersInURI = Set(methods.compactMap(\.string))
        }
        if let text = config?["queryBlock"]?.string {
            serializer.setQueryStringSerialization { _, _ in text }
        }
        return serializer
    }

    // MARK: Parts

    /// What appends one part; its result is an entry of the recorder's log.
    private func step(
        _ part: GoldenValue
    ) throws -> (any MultipartFormData) throws -> GoldenValue? {
        let isUnsayable = ["name", "fileName", "mimeType", "data", "url"].contains {
            part[$0]?.isNil == true
        }
        // The type of every argument forbids nil, so the part is left out.
        if isUnsayable { return { _ in .object(["exception": .string("nil")]) } }
        let name = part["name"]?.string ?? ""
        let file = part["fileName"]?.string ?? ""
        let type = part["mimeType"]?.string ?? ""
        let bytes = part["data"]?.data ?? Data()
        switch part["t"]?.string {
        case "form":
            return {
                $0.appendPart(formData: bytes, name: name)
                return nil
            }
        case "file":
            return {
                $0.appendPart(fileData: bytes, name: name, fileName: file, mimeType: type)
                return nil
            }
        case "headers":
            let fields = part["headers"]?.members.compactMapValues(\.string)
            let headers = part["headers"]?.isNil == true ? nil : fields
            return {
                $0.appendPart(headers: headers, body: bytes)
                return nil
            }
        case "stream", "nilstream":
            let length = Int64(part["length"]?.int ?? bytes.count)
            return {
                $0.appendPart(
                    inputStream: InputStream(data: bytes), name: name, fileName: file,
                    length: length, mimeType: type)
                return nil
            }
        case "fileurl", "fileurl2":
            let url = try url(of: part)
            let isExplicit = part["fileName"] != nil
            return { form in
                Self.logged {
                    if isExplicit {
                        try form.appendPart(
                            fileURL: url, name: name, fileName: file, mimeType: type)
                    } else {
                        try form.appendPart(fileURL: url, name: name)
                    }
                }
            }
        case "throttle":
            let delay = (part["delay"]?.object as? NSNumber)?.doubleValue ?? 0
            let size = part["size"]?.int ?? 0
            return {
                $0.throttleBandwidth(packetSize: size, delay: delay)
                return nil
            }
        default:
            throw Unsayable(what: "A part of an unknown kind.")
        }
    }

    private func url(of part: GoldenValue) throws -> URL {
        if let text = part["url"]?.string, let url = URL(string: text) { return url }
        let path = (part["path"]?.string ?? "").replacingOccurrences(of: "{tmp}", with: folder.path)
        let url = URL(fileURLWithPath: path)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        if let bytes = part["content"]?.data {
            try FileManager.default.createDirectory(
                at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
            try bytes.write(to: url)
        }
        return url
    }

    private static func logged(_ append: () throws -> Void) -> GoldenValue {
        do {
            try append()
            return .object(["error": .null, "returned": .bool(true)])
        } catch {
            let seen = error as NSError
            let info = seen.userInfo.compactMapValues { ($0 as? String).map(GoldenValue.string) }
            return .object([
                "error": .object([
                    "domain": .string(seen.domain), "code": .int(seen.code),
                    "userInfo": .object(info),
                    "userInfoKeys": .array(seen.userInfo.keys.sorted().map { .string($0) }),
                ]), "returned": .bool(false),
            ])
        }
    }

    // MARK: The body

    private func read(_ stream: InputStream, _ own: String) throws -> [String: GoldenValue] {
        let copy = try (stream as? MultipartBodyStream)?.freshCopy()
        let (bytes, sizes) = readAll(stream, own)
        var result: [String: GoldenValue] = [
            "bodyBase64": .string(bytes.base64EncodedString()), "bodyLength": .int(bytes.count),
            "readSizes": .array(sizes.map { .int($0) }),
        ]
        if let length = (stream as? MultipartBodyStream)?.contentLength {
            result["streamContentLength"] = .int(Int(length))
        }
        if sizes.last == -1, let error = stream.streamError {
            result["readError"] = .int((error as NSError).code)
        }
        if input["reread"]?.bool == true {
            result["rereadLength"] = .int(readAll(stream, own).bytes.count)
        }
        if input["copyStream"]?.bool == true, let copy {
            let again = readAll(copy, own).bytes
            result["copyBodyLength"] = .int(again.count)
            result["copyBodyEqualsBody"] = .bool(again == bytes)
        }
        return result
    }

    private func readAll(_ stream: InputStream, _ own: String) -> (bytes: Data, sizes: [Int]) {
        stream.open()
        defer { stream.close() }
        var buffer = [UInt8](repeating: 0, count: input["chunk"]?.int ?? 65_536)
        var bytes = Data()
        var sizes: [Int] = []
        repeat {
            let count = stream.read(&buffer, maxLength: buffer.count)
            sizes.append(count)
            bytes.append(contentsOf: buffer[..<max(count, 0)])
        } while (sizes.last ?? 0) > 0
        let latin = String(data: bytes, encoding: .isoLatin1) ?? ""
        let normal = latin.replacingOccurrences(of: own, with: Self.boundary)
        return (normal.data(using: .isoLatin1) ?? bytes, sizes)
    }
}
