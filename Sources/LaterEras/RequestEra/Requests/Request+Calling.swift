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
            // A file that could not be moved goes with the request, and is there while the handler runs.
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
