import ParitySupport
import RequestEra
import TestSupport

/// request-serialization.json: the public serializers, of bytes and of files.
enum SerializationCases {
    static func play(_ recorded: RecordedCase) throws -> GoldenValue {
        let input = recorded.input
        if recorded.id == "custom/data" { return try custom() }
        if let file = input["file"] { return try downloaded(input, file) }
        guard let data = input["data"] else { throw Unplayed(recorded.id) }
        let kind = input["serializer"]?.string
        if let kind {
            return ["result": try serialized(kind, input, data.isNil ? nil : data.swiftData())]
        }
        if input["encoding"] != nil { return try text(input, try data.swiftData()) }
        if recorded.id.hasPrefix("json/") { return try json(input, try data.swiftData()) }
        guard recorded.id.hasPrefix("plist/") else { throw Unplayed(recorded.id) }
        let serializer = DataRequest.propertyListResponseSerializer()
        return [
            "result": shown(
                serializer.serializeResponse(nil, try response(nil), try data.swiftData(), nil))
        ]
    }

    /// A result as the recordings write it.
    static func shown<Value>(_ result: Result<Value>) -> GoldenValue {
        switch result {
        case .success(let data as Data) where Value.self == Data.self:
            ["success": SeenValue.data(data)]
        case .success(let value): ["success": SeenValue.object(value)]
        case .failure(let error): ["failure": SeenValue.error(error)]
        }
    }

    // MARK: - Data

    private static func serialized(
        _ kind: String, _ input: GoldenValue, _ data: Data?
    ) throws -> GoldenValue {
        let (response, error) = (try response(input["response"]), try earlier(input))
        func shown<Value>(_ serializer: DataResponseSerializer<Value>) -> GoldenValue {
            Self.shown(serializer.serializeResponse(nil, response, data, error))
        }
        switch kind {
        case "data": return shown(DataRequest.dataResponseSerializer())
        case "string": return shown(DataRequest.stringResponseSerializer())
        case "json": return shown(DataRequest.jsonResponseSerializer())
        case "plist": return shown(DataRequest.propertyListResponseSerializer())
        default: throw Unplayed(kind)
        }
    }

    private static func text(_ input: GoldenValue, _ data: Data) throws -> GoldenValue {
        let name = input["encoding"]?.string ?? "nil"
        guard name == "nil" || ErrorCases.encodings[name] != nil else { throw Unplayed(name) }
        let type = input["Content-Type"]
        let response = try response(
            type == nil ? input["response"] : ["Content-Type": type ?? .null])
        let serializer = DataRequest.stringResponseSerializer(encoding: ErrorCases.encodings[name])
        var members = ["result": shown(serializer.serializeResponse(nil, response, data, nil))]
        if name == "nil", type != nil {
            members["textEncodingName"] = SeenValue.text(response?.textEncodingName)
        }
        return .object(members)
    }

    private static func json(_ input: GoldenValue, _ data: Data) throws -> GoldenValue {
        let serializer: DataResponseSerializer<Any>
        switch input["options"]?.string {
        case "the serializer's default": serializer = DataRequest.jsonResponseSerializer()
        case "none": serializer = DataRequest.jsonResponseSerializer(options: [])
        case "allowFragments":
            serializer = DataRequest.jsonResponseSerializer(options: .allowFragments)
        case "mutableContainers":
            serializer = DataRequest.jsonResponseSerializer(options: .mutableContainers)
        case "mutableLeaves":
            serializer = DataRequest.jsonResponseSerializer(options: .mutableLeaves)
        case let options: throw Unplayed("\(options ?? "no") options")
        }
        return ["result": shown(serializer.serializeResponse(nil, try response(nil), data, nil))]
    }

    // MARK: - Files

    private static func downloaded(
        _ input: GoldenValue, _ file: GoldenValue
    ) throws -> GoldenValue {
        try FormRoom.with { room in
            let url = try self.file(file, room)
            let (response, error) = (try response(input["response"]), try earlier(input))
            func shown<Value>(_ serializer: DownloadResponseSerializer<Value>) -> GoldenValue {
                [
                    "result": room.shown(
                        Self.shown(serializer.serializeResponse(nil, response, url, error)))
                ]
            }
            switch input["serializer"]?.string {
            case "data": return shown(DownloadRequest.dataResponseSerializer())
            case "string": return shown(DownloadRequest.stringResponseSerializer())
            case "json": return shown(DownloadRequest.jsonResponseSerializer())
            case "plist": return shown(DownloadRequest.propertyListResponseSerializer())
            case let kind: throw Unplayed("the serializer \(kind ?? "nil")")
            }
        }
    }

    private static func file(_ file: GoldenValue, _ room: FormRoom) throws -> URL? {
        if file.isNil { return nil }
        if let text = file["holds"] {
            let url = room.folder.appendingPathComponent("ser-file")
            try text.swiftData().write(to: url)
            return url
        }
        switch file.string {
        case "missing": return room.folder.appendingPathComponent("ser-missing")
        case "directory":
            let url = room.folder.appendingPathComponent("sdir", isDirectory: true)
            try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
            return url
        default: throw Unplayed("the file \(file)")
        }
    }

    // MARK: - What they are given

    /// Of status 200 where nothing is said.
    private static func response(_ value: GoldenValue?) throws -> HTTPURLResponse? {
        if value?.isNil == true { return nil }
        return HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: value?["status"]?.int ?? 200,
            httpVersion: "HTTP/1.1",
            headerFields: (value?["Content-Type"]?.string).map { ["Content-Type": $0] })
    }

    private static func earlier(_ input: GoldenValue) throws -> (any Error)? {
        guard let text = input["earlierError"]?.string else { return nil }
        guard text.hasPrefix("PlainError("), text.hasSuffix(")") else { throw Unplayed(text) }
        return PlainError(tag: String(text.dropFirst(11).dropLast()))
    }

    private static func custom() throws -> GoldenValue {
        let serializer = DataResponseSerializer { request, response, data, error in
            Result<(Int, String)>.success(
                (
                    data?.count ?? -1,
                    "request=\(request?.url?.absoluteString ?? "nil") "
                        + "status=\(response.map { "\($0.statusCode)" } ?? "nil") "
                        + "data=\(data.map { "\($0.count)" } ?? "nil") "
                        + "error=\(error == nil ? "nil" : "yes")"
                ))
        }
        let results = [
            serializer.serializeResponse(
                URLRequest(url: try "https://example.com/".asURL()), try response(nil),
                Data("abc".utf8), nil),
            serializer.serializeResponse(nil, nil, nil, PlainError(tag: "e")),
        ]
        return [
            "results": .array(results.map { shown($0.map(\.0)) }),
            "seen": .array(results.map { SeenValue.text($0.value?.1) }),
        ]
    }
}
