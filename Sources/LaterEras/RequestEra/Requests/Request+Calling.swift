import CurlConnection
import EventRecorder
import Foundation
import OperationNetworking

extension Request {
    /// Calls a handler on its queue with what is made there.
    func call<Response: MeasuredResponse>(
        on queue: DispatchQueue?, _ make: @escaping @Sendable () -> Handed<Response>,
        completionHandler: @escaping @Sendable (Response) -> Void
    ) {
        (queue ?? .main).recordedAsync {
            var response = make().value
            response.metrics?.noteCallback(at: MonotonicClock.now)
            EventRecorder.span(.callback, subject: self.number, text: .completion) {
                completionHandler(response)
            }
            // A file that could not be moved is removed with the request, and is there while the
            // handler runs.
            withExtendedLifetime(self) {}
        }
    }

    /// Serializes for one handler, seen by a recording under the serializer's name.
    ///
    /// - Returns: what was made, and the request's times with those of this handler's serializer.
    func serializing<Serializer, Value>(
        _ type: Serializer.Type, _ serialize: () -> Value
    ) -> (value: Value, metrics: RequestMetrics?) {
        let start = MonotonicClock.now
        let value = EventRecorder.span(
            .serialization, subject: number, text: EventText("\(type)"), serialize)
        var metrics = metrics
        metrics?.noteSerialization(from: start, to: MonotonicClock.now)
        return (value, metrics)
    }
}

/// What a handler is given, with the times of its request.
protocol MeasuredResponse: SendableMetatype {
    var metrics: RequestMetrics? { get set }
}

extension DataResponse: MeasuredResponse {}
extension DefaultDataResponse: MeasuredResponse {}
extension DownloadResponse: MeasuredResponse {}
extension DefaultDownloadResponse: MeasuredResponse {}

extension MeasuredResponse {
    /// Returns the response with metrics.
    func with(_ metrics: RequestMetrics?) -> Self {
        var response = self
        response.metrics = metrics
        return response
    }
}

enum LateValidation {
    /// Its first use warns of a validation that has no effect.
    static let warning: Void = FileHandle.standardError.write(
        Data(
            """
            RequestEra: validate() was called after a request had ended and had handlers; \
            it has no effect. Add validations before handlers.\n
            """.utf8))
}
