import TestSupport

@testable import OperationNetworking

/// Whether a document is read here as Foundation reads it.
enum JSONSameness {
    /// The document is read here and by Foundation to the same objects, or to the same error.
    static func expect(_ document: Data, _ sourceLocation: SourceLocation = #_sourceLocation) {
        var difference: String?
        do {
            let expected = try JSONSerialization.jsonObject(with: document)
            difference = Self.difference(try JSONBody.object(document, []), expected)
        } catch let expected as NSError {
            let seen = error(document)
            if !isSame(seen, expected) {
                difference = "\(String(describing: seen)), not \(expected)"
            }
        }
        let text = String(decoding: document.prefix(200), as: UTF8.self)
        #expect(difference == nil, "\(text)", sourceLocation: sourceLocation)
    }

    /// Which of several numbers that nothing holds is named, is left to the order of a dictionary.
    private static func isSame(_ left: NSError?, _ right: NSError) -> Bool {
        left == right
            || left?.domain == right.domain && left?.code == right.code
                && [left, right].allSatisfy { "\($0?.userInfo ?? [:])".contains("representable") }
    }

    private static func error(_ document: Data) -> NSError? {
        do {
            _ = try JSONBody.object(document, [])
            return nil
        } catch {
            return error as NSError
        }
    }

    /// Where two trees are not of the same types and values; nil where they are.
    static func difference(_ left: Any, _ right: Any) -> String? {
        guard type(of: left) == type(of: right) else {
            return "\(type(of: left)) \(left), not \(type(of: right)) \(right)"
        }
        switch (left, right) {
        case (let left as NSNumber, let right as NSNumber): return difference(left, right)
        case (is NSNull, is NSNull): return nil
        case (let left as String, let right as String):
            return left.utf8.elementsEqual(right.utf8) ? nil : "\(left), not \(right)"
        case (let left as [Any], let right as [Any]):
            guard left.count == right.count else { return "\(left.count), not \(right.count)" }
            return zip(left, right).lazy.compactMap { difference($0, $1) }.first
        case (let left as [String: Any], let right as [String: Any]):
            // By bytes, as texts are equal that differ in them.
            let names = [left, right].map { $0.keys.map { Array($0.utf8) } }
            guard Set(names[0]) == Set(names[1]) else { return "\(left.keys), not \(right.keys)" }
            return left.lazy.compactMap { key, value in
                right[key].flatMap { difference(value, $0) }.map { "\(key): \($0)" }
            }.first
        default: return "\(type(of: left)) is no type of JSON"
        }
    }

    /// Hashes are left out: Foundation on Linux never returns from that of a decimal number.
    private static func difference(_ left: NSNumber, _ right: NSNumber) -> String? {
        let isSame =
            left == right && left.description == right.description
            && left.doubleValue.bitPattern == right.doubleValue.bitPattern
            && left.uint64Value == right.uint64Value
            && bytes(of: left.decimalValue) == bytes(of: right.decimalValue)
            && String(cString: left.objCType) == String(cString: right.objCType)
        return isSame ? nil : "\(left), not \(right)"
    }

    /// What a decimal number is made of; there are several ways to write the same.
    private static func bytes(of number: Decimal) -> [UInt8] {
        withUnsafeBytes(of: number) { Array($0) }
    }
}
