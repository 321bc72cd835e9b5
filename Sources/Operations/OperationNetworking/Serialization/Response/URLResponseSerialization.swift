public import Foundation
public import FoundationNetworking

/// Makes an object from a response and its body.
///
/// Several operations may call a serializer at once, from any thread.
public protocol URLResponseSerialization: AnyObject, Sendable {
    /// The object of a body, and the error of the response.
    ///
    /// Both can be there, because the body of an error status is still decoded (RE-5, RE-6). So
    /// this method returns an error instead of throwing it.
    ///
    /// - Parameters:
    ///   - response: the server's response; nil where there is none.
    ///   - data: the body; nil where there is none in memory.
    func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
}

/// The result of a serializer: an object, an error, both or neither.
public struct SerializedResponse {
    /// The decoded body; nil where it could not be decoded or is empty.
    public var object: Any?

    /// The error; nil where there is none, also beside a nil object (an empty body, RE-9).
    public var error: (any Error)?

    /// Combines an object and an error.
    public init(object: Any?, error: (any Error)?) {
        self.object = object
        self.error = error
    }
}
