public import Foundation
public import FoundationNetworking

/// Makes an object out of a response and its body.
///
/// A serializer may be asked by several operations at once, from any thread.
public protocol URLResponseSerialization: AnyObject, Sendable {
    /// The object that a body stands for, and what is wrong with the response.
    ///
    /// Both can be there: a body of an error status is still decoded (RE-5, RE-6). So it returns
    /// instead of throwing.
    ///
    /// - Parameters:
    ///   - response: what the server answered; nil where nothing is known about it.
    ///   - data: the body; nil where there was none in memory.
    func responseObject(for response: URLResponse?, data: Data?) -> SerializedResponse
}

/// What a serializer made of a response: an object, an error, both or neither.
public struct SerializedResponse {
    /// The decoded body; nil where it could not be decoded or says nothing.
    public var object: Any?

    /// What is wrong; nil where nothing is, also beside a nil object (an empty body, RE-9).
    public var error: (any Error)?

    /// Puts an object and an error together.
    public init(object: Any?, error: (any Error)?) {
        self.object = object
        self.error = error
    }
}
