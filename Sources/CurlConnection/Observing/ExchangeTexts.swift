import EventRecorder
import Foundation
import HTTPSemantics

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
    private var lastFields: (fields: HeaderFields, number: UInt32) = ([:], 0)

    /// A number for a request's fields: that of the last ones where they are the same. Asked when they
    /// have just been made and are at hand.
    func number(of fields: HeaderFields) -> UInt32 {
        if fields != lastFields.fields {
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
        _ head: ResponseHead, _ fields: HeaderFields, _ fieldsNumber: UInt32,
        _ failure: String
    ) -> UInt32 {
        // Read first: should another recording begin meanwhile, these texts are in none.
        let current = EventRecorder.recording
        if recording == current, fieldsNumber == self.fieldsNumber, head == self.head,
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
        lastFields = ([:], lastFields.number &+ 1)
    }

    @inline(never)
    private func keepAnew(
        _ head: ResponseHead, _ fields: HeaderFields, _ fieldsNumber: UInt32,
        _ failure: String, of recording: UInt32
    ) {
        // Nobody would tell when to forget them.
        if recording == 0 { return forget() }
        (self.head, self.fieldsNumber, self.failure) = (head, fieldsNumber, failure)
        self.recording = recording
        let size =
            head.fields.byteCount + fields.byteCount + failure.utf8.count + Self.overhead
        number = EventRecorder.keepTexts(size: size) {
            ExchangeRecord(
                url: "", method: "", requestHeaders: fields.map { ($0.name, $0.value) },
                httpVersion: head.version,
                responseHeaders: head.fields.map { ($0.name, $0.value) },
                mimeType: head.value(of: "Content-Type") ?? "", startDate: .distantPast,
                error: failure.isEmpty ? nil : failure)
        }
    }

    /// What head and fields take besides their bytes.
    private static let overhead = 256
}
