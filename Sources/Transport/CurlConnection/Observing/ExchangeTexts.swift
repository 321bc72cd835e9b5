import EventRecorder
import Foundation
import HTTPSemantics

/// Records the header fields and errors of exchanges where they differ from those of the exchange before.
///
/// A class, because a value inside another object would be checked for exclusive access at each change.
///
/// ## Concurrency
/// Call from: the transport's thread. Lock: none.
final class ExchangeTexts {
    /// The recording that has the texts.
    private(set) var recording: UInt32 = 0
    /// Their number in that recording.
    private var number: UInt32 = 0
    private var head = ResponseHead(version: "", statusCode: 0)
    private var fieldsNumber: UInt32 = 0
    private var failure = ""
    /// The fields of the last request, and how often they have changed.
    private var lastFields: (fields: HeaderFields, number: UInt32) = ([:], 0)

    /// A number for a request's fields: the last request's where they are the same.
    func number(of fields: HeaderFields) -> UInt32 {
        if fields != lastFields.fields {
            lastFields = (fields, lastFields.number &+ 1)
        }
        return lastFields.number
    }

    /// Records the texts of an exchange.
    ///
    /// - Parameters:
    ///   - fields: the request's.
    ///   - fieldsNumber: of `number(of:)`.
    ///   - failure: an error's text; empty without one.
    /// - Returns: their number in the recording; 0 where that is full.
    func keep(
        _ head: ResponseHead, _ fields: HeaderFields, _ fieldsNumber: UInt32,
        _ failure: String
    ) -> UInt32 {
        // Read first: a recording that begins meanwhile does not have these texts.
        let current = EventRecorder.recording
        if recording == current, fieldsNumber == self.fieldsNumber, head == self.head,
            failure == self.failure
        {
            return number
        }
        keepAnew(head, fields, fieldsNumber, failure, of: current)
        return number
    }

    /// Forgets the texts, so that the next ones are recorded.
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
        // Without a recording, none will end and call `forget`.
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

    /// The memory of a head and fields besides their bytes.
    private static let overhead = 256
}
