public import Foundation
public import FoundationNetworking

/// Turns what a data or upload request got into an object.
@preconcurrency public protocol DataResponseSerializerProtocol<SerializedObject>: Sendable {
    associatedtype SerializedObject

    /// Serializes; called on the request's queue, once for each handler.
    ///
    /// The serializer crosses threads, the closure does not, so it need not be `Sendable`. It is
    /// given the request, the response, the body and the error that came before, which it
    /// passes on.
    var serializeResponse:
        (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<SerializedObject>
    { get }
}

/// A serializer made of a closure.
public struct DataResponseSerializer<Value>: DataResponseSerializerProtocol {
    /// What it gives.
    public typealias SerializedObject = Value

    private let body:
        @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value>

    /// The closure.
    public var serializeResponse:
        (URLRequest?, HTTPURLResponse?, Data?, (any Error)?) -> Result<Value>
    { body }

    /// A serializer that calls this closure.
    @preconcurrency public init(
        serializeResponse:
            @escaping @Sendable (URLRequest?, HTTPURLResponse?, Data?, (any Error)?)
            -> Result<Value>
    ) {
        body = serializeResponse
    }
}

/// Turns the file that a download wrote into an object.
@preconcurrency public protocol DownloadResponseSerializerProtocol<SerializedObject>: Sendable {
    associatedtype SerializedObject

    /// Serializes; called on the request's queue, once for each handler.
    ///
    /// The serializer crosses threads, the closure does not, so it need not be `Sendable`. It is
    /// given the request, the response, the file and the error that came before, which it
    /// passes on.
    var serializeResponse:
        (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<SerializedObject>
    { get }
}

/// A serializer made of a closure.
public struct DownloadResponseSerializer<Value>: DownloadResponseSerializerProtocol {
    /// What it gives.
    public typealias SerializedObject = Value

    private let body: @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value>

    /// The closure.
    public var serializeResponse:
        (URLRequest?, HTTPURLResponse?, URL?, (any Error)?) -> Result<Value>
    { body }

    /// A serializer that calls this closure.
    @preconcurrency public init(
        serializeResponse:
            @escaping @Sendable (URLRequest?, HTTPURLResponse?, URL?, (any Error)?)
            -> Result<Value>
    ) {
        body = serializeResponse
    }
}
