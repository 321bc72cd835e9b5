import CurlConnection
import EventRecorder
import Foundation
import FoundationNetworking

extension SessionTask {
    /// Notes and records the end, before any callback.
    func noteEnd(_ error: (any Error)?) {
        let (start, queued, raw) = lock.withLock { () -> (Date?, UInt64, URLSessionTask?) in
            values.error = error
            return (
                values.wasStarted ? values.start : nil, values.queued,
                values.transfer?.urlSessionTask
            )
        }
        progress.endStreams()
        guard let start else { return }
        EventRecorder.end(.sessionTask, subject: number)
        // URLConnection records its exchanges itself.
        if raw != nil { recordExchange(since: start, queued, error) }
    }

    /// Records the last exchange of Foundation's task at its end. Foundation measures no parts of the time
    /// (LX-01), so all of it is `wait`. Foundation reports no version of HTTP and counts the
    /// response's bytes after decoding.
    private func recordExchange(since start: Date, _ queued: UInt64, _ error: (any Error)?) {
        guard EventRecorder.isRecording else { return }
        let total = Double(MonotonicClock.now &- queued) / 1e6
        let request = currentRequest ?? source.request
        let answer = response as? HTTPURLResponse
        let status = answer?.statusCode ?? 0
        let (url, method) = (request.url?.absoluteString ?? "", request.httpMethod ?? "GET")
        let (sent, received) = (countOfBytesSent, countOfBytesReceived)
        let (number, failure) = (number, error?.localizedDescription)
        let requestFields = Self.sorted(request.allHTTPHeaderFields ?? [:])
        let responseFields = Self.sorted(answer?.allHeaderFields ?? [:])
        let mimeType = answer?.mimeType ?? ""
        let size = (requestFields + responseFields).reduce(url.utf8.count + 512) {
            $0 + $1.name.utf8.count + $1.value.utf8.count
        }
        EventRecorder.exchange(size: size) {
            ExchangeRecord(
                subject: number, url: url, method: method, requestHeaders: requestFields,
                requestBodyBytes: sent, status: status, httpVersion: "unknown",
                responseHeaders: responseFields, responseBodyBytes: received, mimeType: mimeType,
                startDate: start, timings: ExchangeRecord.Timings(wait: total), error: failure)
        }
    }

    private static func sorted(_ fields: [AnyHashable: Any]) -> [(name: String, value: String)] {
        fields.map { (name: "\($0.key)", value: "\($0.value)") }.sorted { $0.name < $1.name }
    }
}
