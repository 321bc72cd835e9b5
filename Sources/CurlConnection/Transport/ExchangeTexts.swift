import EventRecorder

/// The texts of an exchange as a recording keeps them, written anew only where they differ from those
/// of the exchange before.
///
/// For the transport's thread.
struct ExchangeTexts: ~Copyable {
    typealias Fields = [(name: String, value: String)]

    private(set) var bytes = FlatBytes()
    /// No other texts have it.
    private(set) var number: UInt64 = 0
    private var head = ResponseHead(version: "", statusCode: 0)
    private var fields: Fields = []
    private var failure = ""

    /// - Parameters:
    ///   - fields: the request's.
    ///   - failure: an error's text; empty without one.
    mutating func become(_ head: ResponseHead, _ fields: Fields, _ failure: String) {
        if head.isSame(as: self.head), Self.areSame(fields, self.fields), failure == self.failure {
            return
        }
        (self.head, self.fields, self.failure) = (head, fields, failure)
        number = EventRecorder.nextNumber()
        bytes.removeAll()
        head.append(to: &bytes)
        bytes.append(fields.count)
        for (name, value) in fields {
            bytes.append(name)
            bytes.append(value)
        }
        bytes.append(failure)
    }

    /// By the addresses of both lists: `elementsEqual` would count a reference to each string.
    private static func areSame(_ fields: Fields, _ others: Fields) -> Bool {
        guard fields.count == others.count else { return false }
        return fields.withUnsafeBufferPointer { fields in
            others.withUnsafeBufferPointer { others in
                fields.indices.allSatisfy {
                    fields[$0].name == others[$0].name && fields[$0].value == others[$0].value
                }
            }
        }
    }

    static func read(
        _ flat: inout FlatBytesReader
    ) -> (head: ResponseHead, fields: Fields, failure: String) {
        let head = ResponseHead(from: &flat)
        let count: Int = flat.next()
        let fields: Fields = (0..<count).map { _ in (flat.next(), flat.next()) }
        return (head, fields, flat.next())
    }
}
