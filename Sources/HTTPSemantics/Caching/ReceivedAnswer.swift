package import Foundation

/// The head of an answer as it came over the wire.
package struct ReceivedAnswer: Sendable {
    package let status: Int
    /// In the order of the wire, one for each line.
    let fields: HeaderFields
    /// When the request was sent.
    package let requestTime: Date
    /// When the head came.
    package let responseTime: Date
    /// Whether a Content-Encoding is undone before the body is seen.
    package let isDecoded: Bool

    package init(
        status: Int, fields: some Sequence<(name: String, value: String)>, requestTime: Date,
        responseTime: Date, isDecoded: Bool
    ) {
        self.status = status
        self.fields = HeaderFields(fields)
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isDecoded = isDecoded
    }
}
