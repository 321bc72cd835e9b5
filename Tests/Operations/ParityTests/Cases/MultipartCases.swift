import ParitySupport
import TestSupport

@testable import OperationNetworking

/// What the multipart requests make of a recorded input.
struct MultipartCases {
    private static let names: Set = [
        "chunk", "config", "copyStream", "method", "noBlock", "params", "parts", "reread",
        "serializer", "url",
    ]

    /// What the recorder wrote for the boundary; it has the length of every boundary.
    static let boundary = "Boundary+DEADBEEFDEADBEEF"

    private struct Unsayable: Error {
        let what: String
    }

    private static let partNames: Set = [
        "content", "data", "delay", "fileName", "headers", "length", "mimeType", "name", "path",
        "size", "t", "url",
    ]

    private let input: GoldenValue
    private let folder: URL
    private var log: [GoldenValue] = []

    static func outcome(_ input: GoldenValue) throws -> GoldenValue {
        if let what = SerializerInput.unplayed(input, knowing: names) { throw Unplayed(what) }
        if input["url"]?.isNil == true { return .unsayable("a nil URL") }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "parity-" + UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: folder) }
        var run = MultipartCases(input: input, folder: folder)
        do {
            return .object(try run.described())
        } catch let error as Unsayable {
            return .unsayable(error.what)
        } catch let error as Unplayed {
            throw error
        } catch {
            return .failure(Seen.error(error).replacing(folder.path, with: "{tmp}"))
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
        var result = RequestSeen.members(request)
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
            result["bodyBase64"] = RequestSeen.body(request)
        }
        return result
    }

    private mutating func request() throws -> URLRequest {
        guard let parameters = Self.parameters(input["params"]) else {
            throw Unsayable(what: "Parameters are a dictionary.")
        }
        let serializer = SerializerInput.serializer(input)
        let hasBlock = input["noBlock"]?.bool != true
        var steps: [(any MultipartFormData) throws -> GoldenValue?] = []
        for part in input["parts"]?.elements ?? [] { steps.append(try step(part)) }
        var failure: (any Error)?
        var log: [GoldenValue] = []
        let request = try serializer.multipartFormRequest(
            method: input["method"]?.string ?? "POST",
            urlString: input["url"]?.string ?? "http://example.com/up",
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

    // MARK: Parts

    /// What appends one part; its result is an entry of the recorder's log.
    private func step(
        _ part: GoldenValue
    ) throws -> (any MultipartFormData) throws -> GoldenValue? {
        if let name = Set(part.members.keys).subtracting(Self.partNames).min() {
            throw Unplayed("a part's \(name)")
        }
        let isUnsayable = ["name", "fileName", "mimeType", "data", "url"].contains {
            part[$0]?.isNil == true
        }
        // The type of every argument forbids nil, so the part is left out.
        if isUnsayable { return { _ in ["exception": "nil"] } }
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
            return { [folder] form in
                Self.logged(folder) {
                    if isExplicit {
                        try form.appendPart(
                            fileURL: url, name: name, fileName: file, mimeType: type)
                    } else {
                        try form.appendPart(fileURL: url, name: name)
                    }
                }
            }
        case "throttle":
            let delay = part["delay"]?.number ?? 0
            let size = part["size"]?.int ?? 0
            return {
                $0.throttleBandwidth(packetSize: size, delay: delay)
                return nil
            }
        default:
            throw Unplayed("a part of the kind \(part["t"] ?? .null)")
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

    private static func logged(_ folder: URL, _ append: () throws -> Void) -> GoldenValue {
        do {
            try append()
            return ["error": .null, "returned": true]
        } catch {
            return [
                "error": Seen.error(error).replacing(folder.path, with: "{tmp}"),
                "returned": false,
            ]
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
