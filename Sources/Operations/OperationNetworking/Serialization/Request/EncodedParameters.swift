package import Foundation

/// Parameters that are written already: every serializer sends them as the body, whatever the method.
///
/// They pass through the verbs, and through what a subclass makes of them, as other parameters do.
package struct EncodedParameters: Sendable {
    package let body: Data
    /// Of requests that have no type of their own.
    let contentType: String

    /// Writes a value as JSON.
    ///
    /// - Throws: `RequestSerializationError.encodingFailed`, with the encoder's error beneath it.
    package init(_ value: some Encodable, _ encoder: JSONEncoder) throws {
        do {
            body = try encoder.encode(value)
        } catch {
            let words = CodingProblem.words(error).map { ": \($0)" } ?? ""
            throw RequestSerializationError(
                .encodingFailed, "the \(type(of: value)) could not be written as JSON" + words,
                underlying: error)
        }
        contentType = "application/json"
    }
}
