package import Foundation

/// The head of a response as it was received.
package struct ReceivedResponse: Sendable {
    package let status: Int
    /// In the order received, one element for each line.
    let fields: HeaderFields
    /// When the request was sent.
    package let requestTime: Date
    /// When the head was received.
    package let responseTime: Date
    /// Whether a Content-Encoding is decoded before anybody sees the body.
    package let isDecoded: Bool

    package init(
        status: Int, fields: HeaderFields, requestTime: Date,
        responseTime: Date, isDecoded: Bool
    ) {
        self.status = status
        self.fields = fields
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isDecoded = isDecoded
    }
}
