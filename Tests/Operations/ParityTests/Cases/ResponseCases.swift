import NetworkImages
import ParitySupport
import TestSupport

@testable import OperationNetworking

/// What the response serializers make of a recorded response, in the recorder's form.
enum ResponseCases {
    private static let names: Set = [
        "acceptableStatus", "acceptableTypes", "charset", "copy", "data", "members", "mime",
        "nilResponse", "noURL", "nullErrorPtr", "plainResponse", "preError", "readOptions",
        "readingOptions", "removesNulls", "serializer", "status", "stringEncoding", "url",
        "validate",
    ]

    static func outcome(_ input: GoldenValue) throws -> GoldenValue {
        if let name = Set(input.members.keys).subtracting(names).min() {
            throw Unplayed("the input's \(name)")
        }
        guard let output = output(input) else {
            throw Unplayed("the serializer \(input["serializer"] ?? .null)")
        }
        return .object(output.mapValues(RecordedPNG.recorded))
    }

    private static func output(_ input: GoldenValue) -> [String: GoldenValue]? {
        guard var serializer = serializer(input) else { return nil }
        if input["copy"]?.bool == true {
            guard let copy = serializer.copy() as? HTTPResponseSerializer else { return nil }
            serializer = copy
        }
        let response = response(input)
        let data = RecordedPNG.body(input["data"]?.object as? Data)
        var output: [String: GoldenValue] = [:]
        if input["validate"]?.bool == true {
            output["validateReturned"] = .bool(serializer.accepts(response, data: data))
            var thrown: (any Error)?
            do {
                try serializer.validate(response as? HTTPURLResponse, data: data)
            } catch {
                thrown = error
            }
            output["validateError"] = Seen.error(thrown)
        }
        if input["nullErrorPtr"]?.bool == true {
            let object = serializer.objectWithoutError(for: response, data: data)
            output["object"] = Seen.object(object)
            output["objectClass"] = Seen.className(of: object)
            output["error"] = .null
        } else {
            let result = serializer.responseObject(for: response, data: data)
            // A caller's error that was there before stays when there is none.
            let before: NSError? =
                input["preError"]?.bool == true ? NSError(domain: "pre", code: 7) : nil
            output["object"] = Seen.object(result.object)
            output["objectClass"] = Seen.className(of: result.object)
            output["error"] = Seen.error(result.error ?? before)
        }
        return output
    }

    // MARK: What was recorded

    private static func serializer(_ input: GoldenValue) -> HTTPResponseSerializer? {
        guard let serializer = plain(input) else { return nil }
        if let codes = input["acceptableStatus"] {
            serializer.acceptableStatusCodes =
                codes == .string("nil") ? nil : IndexSet(codes.elements.compactMap(\.int))
        }
        if let types = input["acceptableTypes"] {
            serializer.acceptableContentTypes =
                types == .string("nil") ? nil : Set(types.elements.compactMap(\.string))
        }
        if let encoding = input["stringEncoding"]?.int {
            serializer.stringEncoding = String.Encoding(rawValue: UInt(encoding))
        }
        return serializer
    }

    private static func plain(_ input: GoldenValue) -> HTTPResponseSerializer? {
        switch input["serializer"]?.string {
        case "http": return HTTPResponseSerializer()
        case "json":
            let serializer = JSONResponseSerializer()
            serializer.readingOptions = JSONSerialization.ReadingOptions(
                rawValue: UInt(input["readingOptions"]?.int ?? 0))
            serializer.removesKeysWithNullValues = input["removesNulls"]?.bool ?? false
            return serializer
        case "plist":
            let serializer = PropertyListResponseSerializer()
            serializer.readOptions = PropertyListSerialization.ReadOptions(
                rawValue: UInt(input["readOptions"]?.int ?? 0))
            return serializer
        case "xmlparser": return XMLParserResponseSerializer()
        case "xmldoc": return XMLDocumentResponseSerializer()
        case "image": return ImageResponseSerializer()
        case "compound":
            var members: [any URLResponseSerialization] = []
            for member in input["members"]?.elements ?? [] {
                if member.string != nil {
                    members.append(NoSerializer())
                } else if let serializer = Self.serializer(member) {
                    members.append(serializer)
                } else {
                    return nil
                }
            }
            return CompoundResponseSerializer(responseSerializers: members)
        default: return nil
        }
    }

    private static func response(_ input: GoldenValue) -> URLResponse? {
        guard input["nilResponse"]?.bool != true,
            let url = URL(string: input["url"]?.string ?? "http://example.com/r")
        else { return nil }
        let mime = input["mime"]?.string
        let charset = input["charset"]?.string
        if input["plainResponse"]?.bool == true {
            return URLResponse(
                url: url, mimeType: mime, expectedContentLength: -1, textEncodingName: charset)
        }
        return RecordedResponse(
            url: input["noURL"]?.bool == true ? nil : url, status: input["status"]?.int ?? 200,
            mimeType: mime, charset: charset)
    }
}

/// A response with exactly the recorder's type and charset; Foundation's own lowers the case.
private final class RecordedResponse: HTTPURLResponse, @unchecked Sendable {
    // @unchecked because nothing in it changes.
    private let recordedURL: URL?
    private let recordedType: String?
    private let recordedCharset: String?

    init?(url: URL?, status: Int, mimeType: String?, charset: String?) {
        recordedURL = url
        recordedType = mimeType
        recordedCharset = charset
        let place = url ?? URL(fileURLWithPath: "/")
        super.init(url: place, statusCode: status, httpVersion: nil, headerFields: nil)
    }

    required init?(coder: NSCoder) { nil }

    override var url: URL? { recordedURL }
    override var mimeType: String? { recordedType }
    override var textEncodingName: String? { recordedCharset }
}

/// A member of a compound serializer that is none of the library's.
private final class NoSerializer: URLResponseSerialization {
    func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse {
        SerializedResponse(object: "never asked", error: nil)
    }
}
