package import Foundation

/// The status line and header fields of a response as received.
package struct ReceivedResponse: Sendable {
    package let status: Int
    /// In the order received, one element for each line.
    let fields: HeaderFields
    package let requestTime: Date
    package let responseTime: Date
    /// Whether the body is decoded by its Content-Encoding before it is delivered.
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
