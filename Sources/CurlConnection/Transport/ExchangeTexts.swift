import EventRecorder

/// The texts of an exchange as a recording keeps them, written anew only where they differ from those
/// of the exchange before.
///
/// A class, for every change of a value inside another object is checked at run time.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class ExchangeTexts {
    /// Which recording keeps them.
    private(set) var recording: UInt32 = 0
    /// Theirs in that recording.
    private var number: UInt32 = 0
    private var head = ResponseHead(version: "", statusCode: 0)
    private var fieldsNumber: UInt32 = 0
    private var failure = ""
    /// Of the last request that went out, and how many before it had others than the one before them.
    private var lastFields: (fields: ExchangeHeads.Fields, number: UInt32) = ([], 0)
    private var bytes = FlatBytes()

    /// A number for a request's fields: that of the last ones where they are the same. Asked when they
    /// have just been made and are at hand.
    func number(of fields: ExchangeHeads.Fields) -> UInt32 {
        if !Self.areSame(fields, lastFields.fields) {
            lastFields = (fields, lastFields.number &+ 1)
        }
        return lastFields.number
    }

    /// Keeps the texts of an exchange in the recording that is made now.
    ///
    /// - Parameters:
    ///   - fields: the request's.
    ///   - fieldsNumber: of `number(of:)`.
    ///   - failure: an error's text; empty without one.
    /// - Returns: their number in it; 0 where it has no room for them.
    func keep(
        _ head: ResponseHead, _ fields: ExchangeHeads.Fields, _ fieldsNumber: UInt32,
        _ failure: String
    ) -> UInt32 {
        // Read first: should another recording begin meanwhile, these texts are in none.
        let current = EventRecorder.recording
        if recording == current, fieldsNumber == self.fieldsNumber, head.isSame(as: self.head),
            failure == self.failure
        {
            return number
        }
        keepAnew(head, fields, fieldsNumber, failure, of: current)
        return number
    }

    /// Forgets what it compares with; the next texts are others than all before.
    func forget() {
        (head, failure) = (ResponseHead(version: "", statusCode: 0), "")
        (recording, number, fieldsNumber) = (0, 0, 0)
        lastFields = ([], lastFields.number &+ 1)
        bytes = FlatBytes()
    }

    /// By the addresses of both lists: `elementsEqual` would count a reference to each string.
    private static func areSame(
        _ fields: ExchangeHeads.Fields, _ others: ExchangeHeads.Fields
    ) -> Bool {
        guard fields.count == others.count else { return false }
        return fields.withUnsafeBufferPointer { fields in
            others.withUnsafeBufferPointer { others in
                fields.indices.allSatisfy {
                    fields[$0].name == others[$0].name && fields[$0].value == others[$0].value
                }
            }
        }
    }

    @inline(never)
    private func keepAnew(
        _ head: ResponseHead, _ fields: ExchangeHeads.Fields, _ fieldsNumber: UInt32,
        _ failure: String, of recording: UInt32
    ) {
        // Nobody would tell when to forget them.
        if recording == 0 { return forget() }
        (self.head, self.fieldsNumber, self.failure) = (head, fieldsNumber, failure)
        self.recording = recording
        bytes.removeAll()
        head.append(to: &bytes)
        bytes.append(fields.count)
        for (name, value) in fields {
            bytes.append(name)
            bytes.append(value)
        }
        bytes.append(failure)
        number = EventRecorder.keepTexts(bytes, Self.read)
    }

    private static func read(_ flat: inout FlatBytesReader) -> ExchangeHeads {
        let head = ResponseHead(from: &flat)
        let count: Int = flat.next()
        var heads = ExchangeHeads()
        heads.requestFields = (0..<count).map { _ in (flat.next(), flat.next()) }
        heads.version = head.version
        heads.responseFields = head.fields.map { ($0.name, $0.value) }
        heads.mimeType = head.value(of: "Content-Type") ?? ""
        heads.failure = flat.next()
        return heads
    }
}
