public import Foundation
import FoundationNetworking
import OperationNetworking

/// What waits for a serialized response of a data or upload request; Alamofire 5's type.
///
/// Any number of Swift tasks may wait, before the end and after it. Waiting resumes a request that
/// was neither resumed nor suspended.
public struct DataTask<Value: Sendable>: Sendable {
    private let request: DataRequest
    private let outcome: SharedOutcome<DataResponse<Value>>
    private let cancels: Bool

    init<Serializer: DataResponseSerializerProtocol<Value>>(
        _ request: DataRequest, _ serializer: Serializer, _ cancels: Bool
    ) {
        let outcome = SharedOutcome<DataResponse<Value>>()
        self.request = request
        self.outcome = outcome
        self.cancels = cancels
        request.addHandler {
            outcome.give(request.serialized(by: serializer))
        }
    }

    /// Waits for the response. Where the task is cancelled, its result is `URLError.cancelled`, at once.
    public var response: DataResponse<Value> {
        get async {
            do {
                return try await request.wait(for: outcome, cancels: cancels)
            } catch {
                return DataResponse(
                    request: request.request, response: request.response, data: nil,
                    result: .failure(error))
            }
        }
    }

    /// Waits for the value or the first error.
    public var result: Result<Value> {
        get async { await response.result }
    }

    /// Waits for the value.
    ///
    /// - Throws: the first error: of the adapter, the transfer, a validation or the serializer;
    ///   `URLError.cancelled` where the request or the task was cancelled.
    public var value: Value {
        get async throws { try await result.unwrap() }
    }

    /// Resumes the request.
    public func resume() { request.resume() }

    /// Suspends the request.
    public func suspend() { request.suspend() }

    /// Cancels the request.
    public func cancel() { request.cancel() }
}

extension DataRequest {
    /// What waits for the body.
    ///
    /// - Parameter automaticallyCancelling: whether the request is cancelled with a task that waits;
    ///   the wait ends at once either way.
    public func serializingData(automaticallyCancelling: Bool = true) -> DataTask<Data> {
        serializingResponse(
            using: DataRequest.dataResponseSerializer(),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for the body as text.
    ///
    /// - Parameter encoding: in place of the response's charset, or ISO Latin-1 if it names none.
    public func serializingString(
        automaticallyCancelling: Bool = true, encoding: String.Encoding? = nil
    ) -> DataTask<String> {
        serializingResponse(
            using: DataRequest.stringResponseSerializer(encoding: encoding),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for the body as a value of a type, from JSON.
    ///
    /// What the decoder throws is under `AFError.responseSerializationFailed`. A response with 204 or
    /// 205 has no JSON, and fails.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true,
        decoder: JSONDecoder = JSONDecoder()
    ) -> DataTask<Value> {
        serializingResponse(
            using: DataRequest.decodingSerializer(type, decoder),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for what a serializer makes of the body.
    public func serializingResponse<Serializer: DataResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DataTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DataTask(self, serializer, automaticallyCancelling)
    }

    /// Waits for the body as the objects of `JSONSerialization`, which only this caller gets.
    ///
    /// - Throws: as `DataTask.value`. Where the task is cancelled, the request is.
    nonisolated(nonsending) public func jsonObject(
        options: JSONSerialization.ReadingOptions = .allowFragments
    ) async throws -> sending Any {
        let outcome = SharedOutcome<Handed<DataResponse<Any>>>()
        addHandler {
            let serializer = DataRequest.jsonResponseSerializer(options: options)
            outcome.give(Handed(self.serialized(by: serializer)))
        }
        return try await wait(for: outcome, cancels: true).value.result.unwrap()
    }
}
