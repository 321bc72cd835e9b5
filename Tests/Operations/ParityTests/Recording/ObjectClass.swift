import Foundation
import FoundationXML
import ParitySupport

/// The name that an object's class has in the recordings.
enum ObjectClass {
    static func name(of object: Any?) -> GoldenValue {
        guard let object else { return .null }
        let name =
            switch object {
            case is Data: "NSData"
            case is String: "NSString"
            case is NSNull: "NSNull"
            case is NSNumber: "NSNumber"
            case is [Any]: "NSArray"
            case is [AnyHashable: Any], is NSDictionary: "NSDictionary"
            case is XMLParser: "NSXMLParser"
            case is XMLDocument: "NSXMLDocument"
            default: "\(type(of: object))"
            }
        return .string(name)
    }
}
