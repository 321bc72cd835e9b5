import CoreFoundation
import FoundationXML
import NetworkImages
import ParitySupport
import TestSupport

/// Objects and errors in the recorder's form.
enum Seen {
    static func object(_ object: Any?) -> GoldenValue {
        switch object {
        case nil: .absent
        case is NSNull: .object(["$null": .bool(true)])
        case let data as Data: .object(["$data": .string(data.base64EncodedString())])
        case let number as NSNumber: self.number(number)
        case let text as String: .string(text)
        case let members as [String: Any]: .object(members.mapValues { Self.object($0) })
        case let elements as [Any]: .array(elements.map { Self.object($0) })
        case is XMLParser: .object(["$object": .string("NSXMLParser")])
        case let image as DecodedImage:
            ["$image": ["h": .int(Int(image.height)), "reps": 1, "w": .int(Int(image.width))]]
        case let document as XMLDocument:
            .object(["$xmldoc": document.rootElement()?.name.map(GoldenValue.string) ?? .null])
        case .some(let other): .string("\(type(of: other))")
        }
    }

    static func className(of object: Any?) -> GoldenValue {
        switch object {
        case nil: .null
        case is NSNull: .string("NSNull")
        case is Data: .string("NSData")
        case is NSNumber: .string("NSNumber")
        case is String: .string("NSString")
        case is NSMutableDictionary: .string("NSMutableDictionary")
        case is [String: Any]: .string("NSDictionary")
        case is NSMutableArray: .string("NSMutableArray")
        case is [Any]: .string("NSArray")
        case is XMLParser: .string("NSXMLParser")
        case is XMLDocument: .string("NSXMLDocument")
        case is DecodedImage: .string("NSImage")
        case .some(let other): .string("\(type(of: other))")
        }
    }

    static func error(_ error: (any Error)?) -> GoldenValue {
        guard let error = error.map({ $0 as NSError }) else { return .null }
        let info = error.userInfo
        return .object([
            "domain": .string(error.domain), "code": .int(error.code),
            "userInfo": .object(info.mapValues(detail)),
            "userInfoKeys": .array(info.keys.sorted().map(GoldenValue.string)),
        ])
    }

    private static func detail(_ value: Any) -> GoldenValue {
        switch value {
        case let error as NSError: self.error(error)
        case let url as URL: .object(["$url": .string(url.absoluteString)])
        case let response as HTTPURLResponse:
            .object(["$response": .object(["statusCode": .int(response.statusCode)])])
        default: object(value)
        }
    }

    private static func number(_ number: NSNumber) -> GoldenValue {
        let value = GoldenValue(number)
        return switch value {
        case .bool: ["$bool": value]
        case .double(let double): ["$double": .string("\(double)")]
        default: value
        }
    }

    /// A property list as JSON would have it; data and dates under their `$` names.
    static func plain(_ object: Any) -> GoldenValue {
        switch object {
        case let data as Data: GoldenValue(data)
        case let date as Date: ["$date": .double(date.timeIntervalSince1970)]
        case let number as NSNumber: GoldenValue(number)
        case let text as String: .string(text)
        case let members as [String: Any]: .object(members.mapValues(plain))
        case let elements as [Any]: .array(elements.map(plain))
        default: .string("\(type(of: object))")
        }
    }
}
