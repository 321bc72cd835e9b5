import ParitySupport
import TestSupport
@testable import RequestEra

// Handlers that note what they were given; each gives back its request.
extension TraceStage {
    @discardableResult
    nonisolated func response<Made: DataRequest>(
        _ request: Made, _ name: String = "response", on queue: DispatchQueue? = nil,
        then: @escaping @Sendable (DefaultDataResponse) -> Void = { _ in }
    ) -> Made {
        let log = log
        return request.response(queue: queue) { response in
            log.add(
                "handler",
                [
                    "handler": .string(name), "dataCount": count(response.data),
                    "someBytes": .bool(response.data?.isEmpty == false),
                    "error": short(response.error),
                    "request": .bool(response.request != nil),
                    "status": response.response.map { .int($0.statusCode) } ?? .absent,
                    "latencyAbove0.25": .bool(response.timeline.latency > 0.25),
                    "latencyBelow0.25": .bool(response.timeline.latency < 0.25),
                    "totalBelow0.25": .bool(response.timeline.totalDuration < 0.25),
                ])
            then(response)
        }
    }

    @discardableResult
    nonisolated func data<Made: DataRequest>(
        _ request: Made, _ name: String = "responseData", on queue: DispatchQueue? = nil,
        then: @escaping @Sendable (DataResponse<Data>) -> Void = { _ in }
    ) -> Made {
        let log = log
        return request.responseData(queue: queue) { response in
            log.add("handler", members(name, response))
            then(response)
        }
    }

    @discardableResult
    nonisolated func string<Made: DataRequest>(
        _ request: Made, _ name: String = "responseString",
        then: @escaping @Sendable (DataResponse<String>) -> Void = { _ in }
    ) -> Made {
        let log = log
        return request.responseString { response in
            let value: GoldenValue = response.value.map { .string($0) } ?? .absent
            log.add("handler", members(name, response).merging(["value": value]) { $1 })
            then(response)
        }
    }

    @discardableResult
    nonisolated func json<Made: DataRequest>(_ request: Made, _ name: String = "responseJSON")
        -> Made
    {
        let log = log
        return request.responseJSON { log.add("handler", members(name, $0)) }
    }

    @discardableResult
    nonisolated func propertyList<Made: DataRequest>(
        _ request: Made, _ name: String = "responsePropertyList"
    ) -> Made {
        let log = log
        return request.responsePropertyList { log.add("handler", members(name, $0)) }
    }

    // MARK: - Downloads

    @discardableResult
    nonisolated func response<Made: DownloadRequest>(
        _ request: Made, _ name: String = "response",
        then: @escaping @Sendable (DefaultDownloadResponse) -> Void = { _ in }
    ) -> Made {
        let log = log
        return request.response { response in
            var all = files(
                response.temporaryURL, response.destinationURL, response.resumeData)
            all["handler"] = .string(name)
            all["error"] = short(response.error)
            all["request"] = .bool(response.request != nil)
            all["status"] = response.response.map { .int($0.statusCode) } ?? .absent
            all["latencyAbove0.25"] = .bool(response.timeline.latency > 0.25)
            log.add("handler", all)
            then(response)
        }
    }

    @discardableResult
    nonisolated func string<Made: DownloadRequest>(
        _ request: Made, _ name: String = "responseString"
    ) -> Made {
        let log = log
        return request.responseString { response in
            var all = files(
                response.temporaryURL, response.destinationURL, response.resumeData)
            all["handler"] = .string(name)
            all["error"] = short(response.error)
            all["value"] = response.value.map { .string($0) } ?? .absent
            all["status"] = response.response.map { .int($0.statusCode) } ?? .absent
            log.add("handler", all)
        }
    }
}

private func members<Value>(
    _ name: String, _ response: DataResponse<Value>
) -> [String: GoldenValue] {
    [
        "handler": .string(name), "dataCount": count(response.data),
        "error": short(response.error),
        "result": response.result.isSuccess ? "SUCCESS" : "FAILURE",
        "status": response.response.map { .int($0.statusCode) } ?? .absent,
    ]
}

private func files(
    _ temporary: URL?, _ destination: URL?, _ resumeData: Data?
) -> [String: GoldenValue] {
    let size = destination.flatMap {
        try? FileManager.default.attributesOfItem(atPath: $0.path)[.size] as? Int
    }
    return [
        "destinationFileSize": .int(size ?? -1),
        "destinationURL": destination.map { .string($0.lastPathComponent) } ?? "nil",
        "temporaryURL": temporary == nil ? "nil" : "set",
        "temporaryFileExists": .bool(
            temporary.map { FileManager.default.fileExists(atPath: $0.path) } ?? false),
        "resumeData": resumeData == nil ? "nil" : "set",
    ]
}
