import EventRecorder
import Foundation

extension Request {
    /// Calls a handler on its queue with what is made there.
    func call<Response: Sendable>(
        on queue: DispatchQueue?, _ make: @escaping @Sendable () -> Response,
        completionHandler: @escaping @Sendable (Response) -> Void
    ) {
        (queue ?? .main).recordedAsync {
            let response = make()
            EventRecorder.span(.callback, subject: self.number, text: .completion) {
                completionHandler(response)
            }
            // A file that goes with the request is there while the handler runs.
            withExtendedLifetime(self) {}
        }
    }

    /// Serializes for one handler, seen by a recording under the serializer's name.
    func serializing<Serializer, Value>(
        _ type: Serializer.Type, _ serialize: () -> Value
    ) -> Value {
        EventRecorder.span(
            .serialization, subject: number, text: EventText("\(type)"), serialize)
    }
}

/// What a serializer made, on its way to the one handler that it was made for.
struct HandedOver<Value>: @unchecked Sendable {
    // @unchecked because nobody else has it: it is made for one handler and handed to that one.
    let value: Value

    init(_ value: Value) { self.value = value }
}
