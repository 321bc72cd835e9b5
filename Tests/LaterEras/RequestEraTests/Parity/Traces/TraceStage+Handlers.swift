import ParitySupport
import TestSupport
@testable import RequestEra

// Handlers that note what they were given.
extension TraceStage {
    func response(
        _ request: DataRequest, _ name: String = "response", on queue: DispatchQueue? = nil,
        then: @escaping @Sendable (DefaultDataResponse) -> Void = { _ in }
    ) {
        let log = log
        request.response(queue: queue) { response in
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

    func data(
        _ request: DataRequest, _ name: String = "responseData", on queue: DispatchQueue? = nil,
        then: @escaping @Sendable (DataResponse<Data>) -> Void = { _ in }
    ) {
        let log = log
        request.responseData(queue: queue) { response in
            log.add("handler", members(name, response))
            then(response)
        }
    }

    func string(
        _ request: DataRequest, _ name: String = "responseString",
        then: @escaping @Sendable (DataResponse<String>) -> Void = { _ in }
    ) {
        let log = log
        request.responseString { response in
            let value: GoldenValue = response.value.map { .string($0) } ?? .absent
            log.add("handler", members(name, response).merging(["value": value]) { $1 })
            then(response)
        }
    }

    func json(_ request: DataRequest, _ name: String = "responseJSON") {
        let log = log
        request.responseJSON { log.add("handler", members(name, $0)) }
    }

    func propertyList(_ request: DataRequest, _ name: String = "responsePropertyList") {
        let log = log
        request.responsePropertyList { log.add("handler", members(name, $0)) }
    }

    // MARK: - Downloads

    func response(
        _ request: DownloadRequest, _ name: String = "response",
        then: @escaping @Sendable (DefaultDownloadResponse) -> Void = { _ in }
    ) {
        let log = log
        request.response { response in
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

    func string(_ request: DownloadRequest, _ name: String = "responseString") {
        let log = log
        request.responseString { response in
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
