public import Foundation
import FoundationNetworking
import OperationNetworking

// Handlers are called in the order in which they are added where they have one queue; those of
// different queues in any order.
extension DataRequest {
    /// Adds a handler, which gets what the request has when its queue calls it; nothing is
    /// serialized.
    ///
    /// - Parameter queue: where it is called; main if nil.
    @preconcurrency
    @discardableResult
    public func response(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DefaultDataResponse) -> Void
    ) -> Self {
        addHandler {
            self.call(on: queue) {
                Handed(
                    DefaultDataResponse(
                        request: self.request, response: self.response, data: self.delegate.data,
                        error: self.delegate.error, timeline: self.timeline
                    ).with(self.metrics))
            } completionHandler: {
                completionHandler($0)
            }
        }
        return self
    }

    /// Adds a handler for what a serializer makes of the body.
    ///
    /// - Parameters:
    ///   - queue: where the handler is called; main if nil.
    ///   - responseSerializer: called on the request's queue, once for this handler; only the
    ///     handler gets the result.
    @preconcurrency
    @discardableResult
    public func response<T: DataResponseSerializerProtocol>(
        queue: DispatchQueue? = nil, responseSerializer: T,
        completionHandler: @escaping @Sendable (DataResponse<T.SerializedObject>) -> Void
    ) -> Self {
        addHandler {
            let made = Handed(self.serialized(by: responseSerializer))
            self.call(on: queue, { made }, completionHandler: completionHandler)
        }
        return self
    }

    /// Adds a handler for the body.
    @preconcurrency
    @discardableResult
    public func responseData(
        queue: DispatchQueue? = nil,
        completionHandler: @escaping @Sendable (DataResponse<Data>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: DataRequest.dataResponseSerializer(),
            completionHandler: completionHandler)
    }

    /// Adds a handler for the body as text.
    ///
    /// - Parameter encoding: in place of the response's charset, or ISO Latin-1 if it names none.
    @preconcurrency
    @discardableResult
    public func responseString(
        queue: DispatchQueue? = nil, encoding: String.Encoding? = nil,
        completionHandler: @escaping @Sendable (DataResponse<String>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DataRequest.stringResponseSerializer(encoding: encoding),
            completionHandler: completionHandler)
    }

    /// Adds a handler for the body as the objects of `JSONSerialization`.
    @preconcurrency
    @discardableResult
    public func responseJSON(
        queue: DispatchQueue? = nil, options: JSONSerialization.ReadingOptions = .allowFragments,
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue, responseSerializer: DataRequest.jsonResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// Adds a handler for the body as the objects of `PropertyListSerialization`.
    @preconcurrency
    @discardableResult
    public func responsePropertyList(
        queue: DispatchQueue? = nil, options: PropertyListSerialization.ReadOptions = [],
        completionHandler: @escaping @Sendable (DataResponse<Any>) -> Void
    ) -> Self {
        response(
            queue: queue,
            responseSerializer: DataRequest.propertyListResponseSerializer(options: options),
            completionHandler: completionHandler)
    }

    /// What a serializer makes of the body, for one handler; on the request's queue.
    func serialized<T: DataResponseSerializerProtocol>(
        by responseSerializer: T
    ) -> DataResponse<T.SerializedObject> {
        let (request, response) = (request, response)
        let data = delegate.data
        let (result, metrics) = serializing(T.self) {
            responseSerializer.serializeResponse(request, response, data, delegate.error)
        }
        return DataResponse(
            request: request, response: response, data: data, result: result, timeline: timeline
        ).with(metrics)
    }
}
