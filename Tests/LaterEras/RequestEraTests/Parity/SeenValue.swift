import CoreFoundation
import Foundation
import ParitySupport
import RequestEra

/// An error that a recorder's closure throws.
struct PlainError: Error {
    let tag: String
}

/// What was seen, as the recordings write it.
enum SeenValue {
    /// Bytes: all of them, or what tells them apart.
    static func data(_ data: Data?) -> GoldenValue {
        guard let data else { return .absent }
        var members: [String: GoldenValue] = ["count": .int(data.count)]
        if data.count > 4_096 {
            members["fnv1a64"] = .string(hash(data))
            members["headUTF8"] = .string(String(decoding: data.prefix(64), as: UTF8.self))
        } else {
            members["base64"] = .string(data.base64EncodedString())
            members["utf8"] = String(validating: data, as: UTF8.self).map { .string($0) }
        }
        return .object(members)
    }

    /// FNV-1a with 64 bits.
    static func hash(_ bytes: some Sequence<UInt8>) -> String {
        hex(
            bytes.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
                ($0 ^ UInt64($1)) &* 0x100_0000_01B3
            })
    }

    /// Sixteen digits.
    static func hex(_ hash: UInt64) -> String {
        let digits = String(hash, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    static func text(_ text: String?) -> GoldenValue { text.map { .string($0) } ?? .absent }

    /// An object of a serializer.
    static func object(_ value: Any?) -> GoldenValue {
        switch value {
        case nil: return .absent
        case let date as Date: return ["$date": seconds(date.timeIntervalSince1970)]
        case let data as Data: return GoldenValue(data)
        case let text as String: return .string(text)
        case is NSNull: return ["$null": true]
        case let number as NSNumber: return self.number(number)
        case let elements as [Any]: return .array(elements.map(object))
        case let members as [String: Any]: return .object(members.mapValues(object))
        case let other?: return .string("\(other)")
        }
    }

    private static func seconds(_ seconds: Double) -> GoldenValue {
        Int(exactly: seconds).map { .int($0) } ?? .double(seconds)
    }

    private static func number(_ number: NSNumber) -> GoldenValue {
        if CFGetTypeID(number) == CFBooleanGetTypeID() { return ["$bool": .bool(number.boolValue)] }
        if "df".utf8.contains(UInt8(bitPattern: number.objCType.pointee)) {
            return ["$double": .string("\(number.doubleValue)")]
        }
        return ["$int": .string(number.stringValue)]
    }

    // MARK: - Errors

    static func error(_ error: (any Error)?) -> GoldenValue {
        switch error {
        case nil: return .absent
        case let error as PlainError: return ["PlainError": .string(error.tag)]
        case let error as AFError: return .object(members(of: error, all: false))
        case let error?:
            let bridged = error as NSError
            return ["domain": .string(bridged.domain), "code": .int(bridged.code)]
        }
    }

    /// - Parameter all: whether Booleans that are false are in it.
    static func members(of error: AFError, all: Bool) -> [String: GoldenValue] {
        var members: [String: GoldenValue] = [
            "AFError": .string(name(of: error)),
            "localizedDescription": .string(error.localizedDescription),
        ]
        let flags = [
            "isInvalidURLError": error.isInvalidURLError,
            "isParameterEncodingError": error.isParameterEncodingError,
            "isMultipartEncodingError": error.isMultipartEncodingError,
            "isResponseValidationError": error.isResponseValidationError,
            "isResponseSerializationError": error.isResponseSerializationError,
        ]
        for (name, flag) in flags where all || flag { members[name] = .bool(flag) }
        members["url"] = error.url.map { .string($0.absoluteString) }
        members["underlyingError"] = error.underlyingError.map { self.error($0) }
        members["acceptableContentTypes"] = error.acceptableContentTypes.map {
            .array($0.map { .string($0) })
        }
        members["responseContentType"] = error.responseContentType.map { .string($0) }
        members["responseCode"] = error.responseCode.map { .int($0) }
        members["failedStringEncoding"] = error.failedStringEncoding.map { .int(Int($0.rawValue)) }
        if let url = error.urlConvertible {
            if url is URLComponents {
                members["urlConvertible"] = "the URLComponents"
                members["localizedDescription"] = "URL is not valid: …"
            } else {
                members["urlConvertible"] = .string("\(url)")
            }
        }
        return members
    }

    private static func name(of error: AFError) -> String {
        func short(_ reason: Any) -> String { String("\(reason)".prefix { $0 != "(" }) }
        switch error {
        case .invalidURL: return "invalidURL"
        case .parameterEncodingFailed(let reason):
            return "parameterEncodingFailed." + short(reason)
        case .multipartEncodingFailed(let reason):
            return "multipartEncodingFailed." + short(reason)
        case .responseValidationFailed(let reason):
            return "responseValidationFailed." + short(reason)
        case .responseSerializationFailed(let reason):
            return "responseSerializationFailed." + short(reason)
        }
    }
}
