import Foundation
import ParitySupport
import RequestEra

/// Each case and reason of `AFError`: texts, Booleans, properties, number and domain.
enum ErrorCases {
    static func members(of name: String, _ input: GoldenValue) throws -> GoldenValue {
        let error = try error(name)
        var members = SeenValue.members(of: error, all: true)
        members["NSError.domain"] = .string((error as NSError).domain)
        members["NSError.code"] = .int((error as NSError).code)
        members["errorDescription"] = SeenValue.text(error.errorDescription)
        members["failureReason"] = SeenValue.text(error.failureReason)
        members["recoverySuggestion"] = SeenValue.text(error.recoverySuggestion)
        return .object(members)
    }

    private static let cause = NSError(
        domain: "Test.Domain", code: 42, userInfo: [NSLocalizedDescriptionKey: "test message"])
    private static let plain = PlainError(tag: "x")
    static let encodings: [String: String.Encoding] = [
        "utf8": .utf8, "ascii": .ascii, "isoLatin1": .isoLatin1, "utf16": .utf16,
        "utf16BigEndian": .utf16BigEndian, "utf16LittleEndian": .utf16LittleEndian, "utf32": .utf32,
        "utf32LittleEndian": .utf32LittleEndian, "utf32BigEndian": .utf32BigEndian,
        "windowsCP1252": .windowsCP1252, "shiftJIS": .shiftJIS, "macOSRoman": .macOSRoman,
        "isoLatin2": .isoLatin2, "japaneseEUC": .japaneseEUC, "iso2022JP": .iso2022JP,
        "nonLossyASCII": .nonLossyASCII, "unicode": .unicode, "symbol": .symbol,
        "nextstep": .nextstep, "windowsCP1250": .windowsCP1250, "windowsCP1251": .windowsCP1251,
        "windowsCP1253": .windowsCP1253, "windowsCP1254": .windowsCP1254,
    ]

    private static func error(_ name: String) throws -> AFError {
        let web = try "https://example.com/f.txt".asURL()
        let file = URL(fileURLWithPath: "/tmp/f.txt")
        switch name {
        case "invalidURL/string": return .invalidURL(url: "bad url")
        case "invalidURL/url": return .invalidURL(url: web)
        case let name where name.hasPrefix("parameterEncodingFailed/"):
            return .parameterEncodingFailed(reason: try parameter(reason(name)))
        case let name where name.hasPrefix("multipartEncodingFailed/"):
            return .multipartEncodingFailed(reason: try multipart(reason(name), web, file))
        case let name where name.hasPrefix("responseValidationFailed/"):
            return .responseValidationFailed(reason: try validation(reason(name), file))
        case let name where name.hasPrefix("responseSerializationFailed/"):
            return .responseSerializationFailed(reason: try serialization(reason(name), file))
        default: throw Unplayed(name)
        }
    }

    private static func reason(_ name: String) -> String {
        String(name.drop { $0 != "/" }.dropFirst())
    }

    private static func parameter(
        _ name: String
    ) throws -> AFError.ParameterEncodingFailureReason {
        switch name {
        case "missingURL": return .missingURL
        case "jsonEncodingFailed": return .jsonEncodingFailed(error: cause)
        case "propertyListEncodingFailed": return .propertyListEncodingFailed(error: cause)
        default: throw Unplayed(name)
        }
    }

    private static func multipart(
        _ name: String, _ web: URL, _ file: URL
    ) throws -> AFError.MultipartEncodingFailureReason {
        switch name {
        case "bodyPartURLInvalid": return .bodyPartURLInvalid(url: web)
        case "bodyPartFilenameInvalid": return .bodyPartFilenameInvalid(in: file)
        case "bodyPartFileNotReachable": return .bodyPartFileNotReachable(at: file)
        case "bodyPartFileNotReachableWithError":
            return .bodyPartFileNotReachableWithError(atURL: file, error: plain)
        case "bodyPartFileIsDirectory": return .bodyPartFileIsDirectory(at: file)
        case "bodyPartFileSizeNotAvailable": return .bodyPartFileSizeNotAvailable(at: file)
        case "bodyPartFileSizeQueryFailedWithError":
            return .bodyPartFileSizeQueryFailedWithError(forURL: file, error: plain)
        case "bodyPartInputStreamCreationFailed":
            return .bodyPartInputStreamCreationFailed(for: file)
        case "outputStreamCreationFailed": return .outputStreamCreationFailed(for: file)
        case "outputStreamFileAlreadyExists": return .outputStreamFileAlreadyExists(at: file)
        case "outputStreamURLInvalid": return .outputStreamURLInvalid(url: web)
        case "outputStreamWriteFailed": return .outputStreamWriteFailed(error: plain)
        case "inputStreamReadFailed": return .inputStreamReadFailed(error: plain)
        default: throw Unplayed(name)
        }
    }

    private static func validation(
        _ name: String, _ file: URL
    ) throws -> AFError.ResponseValidationFailureReason {
        switch name {
        case "dataFileNil": return .dataFileNil
        case "dataFileReadFailed": return .dataFileReadFailed(at: file)
        case "missingContentType-none": return .missingContentType(acceptableContentTypes: [])
        case "missingContentType-two":
            return .missingContentType(acceptableContentTypes: ["text/plain", " application/json"])
        case "unacceptableContentType":
            return .unacceptableContentType(
                acceptableContentTypes: ["text/plain", " application/json"],
                responseContentType: "image/png")
        case "unacceptableStatusCode": return .unacceptableStatusCode(code: 404)
        default: throw Unplayed(name)
        }
    }

    private static func serialization(
        _ name: String, _ file: URL
    ) throws -> AFError.ResponseSerializationFailureReason {
        switch name {
        case "inputDataNil": return .inputDataNil
        case "inputDataNilOrZeroLength": return .inputDataNilOrZeroLength
        case "inputFileNil": return .inputFileNil
        case "inputFileReadFailed": return .inputFileReadFailed(at: file)
        case "jsonSerializationFailed": return .jsonSerializationFailed(error: cause)
        case "propertyListSerializationFailed":
            return .propertyListSerializationFailed(error: cause)
        default:
            let parts = name.components(separatedBy: "-")
            guard parts.first == "stringSerializationFailed", let last = parts.last,
                let encoding = encodings[last]
            else { throw Unplayed(name) }
            return .stringSerializationFailed(encoding: encoding)
        }
    }
}
