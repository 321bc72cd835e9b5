import ParitySupport
import SessionTasks
import TestSupport

@testable import RequestEra

/// What plays the recorded scenarios, by their ids.
@MainActor
enum TraceScenarios {
    typealias Play = @MainActor (TraceStage) async throws -> Void

    static let all: [String: Play] = [
        handlers, validation, errors, start, retry, adapter, cancel, manager, redirect, auth,
        upload, multipart, download, progress, override,
    ].reduce(into: [:]) { $0.merge($1) { first, _ in first } }

    /// Scenarios that are about time: `/slow` takes as long as it says.
    static let timed: Set<String> = [
        "handlers/timeline-order", "upload/late-latency", "download/late-latency",
        "retry/late-start-time",
    ]

    /// The retrier says yes so often.
    nonisolated static func retrying(
        _ times: Int, after delay: TimeInterval = 0, _ play: @escaping Play
    ) -> Play {
        { stage in
            stage.current.retrier = TraceRetrier.yes(stage.log, times: times, after: delay)
            try await play(stage)
        }
    }

    /// Requests are not started at once.
    nonisolated static func idle(_ play: @escaping Play) -> Play {
        { stage in
            stage.current.startRequestsImmediately = false
            try await play(stage)
        }
    }

    /// - Parameter handlers: how many are waited for too.
    static func play(
        _ id: String, expecting count: Int, handlers: Int = 0
    ) async throws -> GoldenValue? {
        guard let scenario = all[id] else { return nil }
        let stage = try TraceStage(isTimed: timed.contains(id))
        defer { stage.close() }
        try await scenario(stage)
        stage.begin()
        await stage.log.reaches(count, within: count == 0 ? 0.05 : 5)
        if handlers > 0 { await stage.log.reaches(handlers, "handler") }
        await stage.settle()
        let final = stage.final()
        return ["events": .array(stage.log.events), "final": final]
    }
}

// MARK: - Handlers, validation, errors

extension TraceScenarios {
    static let handlers: [String: Play] = [
        "handlers/response": { stage in stage.response(stage.get("/ok")) },
        "handlers/response-data": { stage in stage.data(stage.get("/ok")) },
        "handlers/response-json": { stage in stage.json(stage.get("/json").validate()) },
        "handlers/all-five": { stage in
            let request = stage.response(stage.get("/json"))
            stage.data(request)
            stage.string(request)
            stage.json(request)
            stage.propertyList(request)
        },
        "handlers/json-fails-others-do-not": { stage in
            let request = stage.json(stage.get("/ok"))
            stage.string(request)
            stage.response(request)
        },
        "handlers/five-in-order": { stage in
            let request = stage.get("/ok")
            for number in 1...5 { stage.data(request, "h\(number)") }
        },
        "handlers/given-queue": { stage in stage.data(stage.get("/ok"), on: stage.queueA) },
        "handlers/three-queues": { stage in
            let request = stage.get("/ok")
            stage.data(request, "hA", on: stage.queueA)
            stage.data(request, "hB", on: stage.queueB)
            stage.data(request, "hMain")
        },
        "handlers/two-each": { stage in
            let request = stage.get("/ok")
            stage.data(request, "A1", on: stage.queueA)
            stage.data(request, "B1", on: stage.queueB)
            stage.data(request, "A2", on: stage.queueA)
            stage.data(request, "B2", on: stage.queueB)
        },
        "handlers/added-in-handler": { stage in
            let request = stage.get("/ok")
            stage.data(request, "h1") { _ in
                MainActor.assumeIsolated { stage.data(request, "h2") }
            }
        },
        "handlers/added-after-end": { stage in
            let request = stage.data(stage.get("/ok"), "h1")
            await stage.handlers(1)
            stage.call(["adds": "h2"])
            stage.data(request, "h2")
            stage.call(["added": "h2"])
        },
        "handlers/added-during": { stage in
            let request = stage.data(stage.get("/slow?ms=200"), "h1")
            await stage.served()
            stage.call(["adds": "h2"])
            stage.data(request, "h2")
            stage.release()
        },
        "handlers/none": { stage in _ = stage.get("/ok") },
        "handlers/custom-serializer": { stage in
            let log = stage.log
            stage.get("/ok").response(
                responseSerializer: DataResponseSerializer<String> { _, _, data, _ in
                    log.add("serializer")
                    return .success("\(data?.count ?? 0)")
                }
            ) { response in
                log.add(
                    "handler",
                    [
                        "handler": "custom", "value": .string(response.value ?? ""),
                        "result": "SUCCESS", "dataCount": count(response.data),
                        "error": short(response.error),
                        "status": .int(response.response?.statusCode ?? 0),
                    ])
            }
        },
        "handlers/serializers-run-one-after-another": { stage in
            let request = stage.get("/ok")
            slow(stage, request, "1", stage.queueA)
            slow(stage, request, "2", stage.queueB)
        },
        "handlers/two-timelines": { stage in
            let request = stage.get("/ok")
            slow(stage, request, "1", stage.queueA)
            slow(stage, request, "2", stage.queueB)
        },
        "handlers/timeline-order": { stage in
            let log = stage.log
            stage.get("/slow?ms=100").response { response in
                let times = response.timeline
                let instants = [
                    times.requestStartTime, times.initialResponseTime, times.requestCompletedTime,
                    times.serializationCompletedTime,
                ]
                log.add(
                    "handler",
                    [
                        "handler": "response", "inOrder": .bool(instants == instants.sorted()),
                        "latencyAtLeast0.05": .bool(times.latency >= 0.05),
                    ])
            }
        },
        "handlers/empty-200": { stage in
            let request = stage.data(stage.get("/empty"))
            stage.string(request)
            stage.json(request)
            stage.propertyList(request)
        },
        "handlers/204": { stage in
            let request = stage.data(stage.get("/status/204"))
            stage.string(request)
            stage.json(request)
            stage.propertyList(request)
        },
        "handlers/late-suspended-queue": { stage in
            let request = stage.get("/ok")
            stage.queueC.suspend()
            stage.data(request, "h1", on: stage.queueC)
            stage.data(request, "h2")
            await stage.handlers(1)
            stage.call(["resumes": "queue C"])
            stage.queueC.resume()
        },
        "handlers/late-values": { stage in
            let request = stage.get("/ok")
            stage.queueC.suspend()
            stage.response(request, on: stage.queueC)
            stage.data(request, on: stage.queueC)
            await stage.reaches(2, "notification")
            await stage.settle()
            request.delegate.error = PlainError(tag: "by hand")
            stage.queueC.resume()
        },
    ]

    private static func slow(
        _ stage: TraceStage, _ request: DataRequest, _ name: String, _ queue: DispatchQueue
    ) {
        let log = stage.log
        let serializer = DataResponseSerializer<Int> { _, _, data, _ in
            log.add("serializer", ["begins": .string(name)])
            // The recorder's serializer took 0.1 s.
            Thread.sleep(forTimeInterval: 0.02)
            log.add("serializer", ["ends": .string(name)])
            return .success(data?.count ?? 0)
        }
        request.response(queue: queue, responseSerializer: serializer) { response in
            log.add(
                "handler",
                [
                    "handler": .string(name), "dataCount": count(response.data),
                    "error": short(response.error), "result": "SUCCESS",
                    "status": .int(response.response?.statusCode ?? 0),
                ])
        }
    }

    static let validation: [String: Play] = [
        "validation/404-none": { stage in stage.string(stage.get("/status/404")) },
        "validation/404-validate": { stage in
            let request = stage.response(stage.get("/status/404").validate())
            stage.string(request)
        },
        "validation/wrong-type": { stage in
            stage.json(stage.get("/plain-json").validate(contentType: ["application/json"]))
        },
        "validation/accept-header": { stage in
            stage.json(
                stage.get("/plain-json", headers: ["Accept": "application/json"]).validate())
        },
        "validation/no-type": { stage in
            stage.response(stage.get("/notype").validate(contentType: ["text/plain"]))
        },
        "validation/three-in-order": { stage in
            let log = stage.log
            let request = stage.get("/ok")
            for number in 1...3 {
                request.validate { _, _, _ in
                    log.add("validation", ["number": .int(number), "name": .string("\(number)")])
                    return number == 2 ? .failure(PlainError(tag: "second")) : .success
                }
            }
            stage.response(request)
        },
        "validation/connection-error": { stage in
            let log = stage.log
            stage.response(
                stage.get("/drop").validate { _, _, _ in
                    log.add("validation")
                    return .success
                })
        },
        "validation/mid-body-error": { stage in
            stage.response(stage.get("/drop-mid").validate(statusCode: 400..<500))
        },
        "validation/added-after-end": { stage in
            let log = stage.log
            let request = stage.response(stage.get("/ok"), "h1")
            await stage.handlers(1)
            await stage.settle()
            request.validate { _, _, _ in
                log.add("validation")
                return .failure(PlainError(tag: "late"))
            }
            stage.response(request, "h2")
        },
        "validation/download-order": { stage in
            let log = stage.log
            let request = stage.download("/ok", to: [], noting: true)
            stage.response(
                request.validate { _, _, temporary, destination in
                    log.add(
                        "validation",
                        [
                            "destination": .string(destination?.lastPathComponent ?? "nil"),
                            "temporary": temporary == nil ? "nil" : "set",
                            "temporaryExists": .bool(
                                FileManager.default.fileExists(atPath: temporary?.path ?? "")),
                        ])
                    return .success
                })
        },
        "validation/download-404": { stage in
            stage.response(stage.download("/status/404", to: []).validate())
        },
        "validation/upload": { stage in
            stage.response(stage.upload(Data("x".utf8), "/status/500").validate())
        },
    ]

    static let errors: [String: Play] = [
        "error/refused": { stage in
            stage.response(stage.seen(stage.current.request("http://127.0.0.1:9/")))
        },
        "error/dropped": { stage in stage.json(stage.get("/drop")) },
        "error/dropped-mid-body": { stage in
            let request = stage.response(stage.get("/drop-mid"))
            stage.string(request)
        },
        "no-task/bad-url": { stage in
            let request = stage.response(stage.seen(stage.current.request(bad)))
            stage.json(request)
        },
        "no-task/bad-url-three-queues": { stage in
            let request = stage.seen(stage.current.request(bad))
            stage.data(request, "hA", on: stage.queueA)
            stage.data(request, "hB", on: stage.queueB)
            stage.data(request, "hMain")
        },
        "no-task/late-handler": { stage in
            let request = stage.seen(stage.current.request(bad))
            await stage.settle()
            stage.call(["adds": "handler"])
            stage.response(request)
        },
        "no-task/download-bad-url": { stage in
            let request = stage.response(stage.seen(stage.current.download(bad)))
            stage.string(request)
        },
        "no-task/bad-url-not-started": idle { stage in
            let request = stage.response(stage.seen(stage.current.request(bad)))
            await stage.settle()
            stage.call(["calls": "resume"])
            request.resume()
        },
        "no-task/bad-url-never-started": idle { stage in
            stage.response(stage.seen(stage.current.request(bad)))
        },
        "no-task/bad-url-retrier": retrying(1) { stage in
            stage.response(stage.seen(stage.current.request(bad)))
        },
        "no-task/json-encoding": { stage in
            stage.response(
                stage.seen(
                    stage.current.request(
                        stage.url("/ok"), method: .post, parameters: ["a": Double.nan],
                        encoding: JSONEncoding.default)))
        },
        "no-task/suspend-cancel": idle { stage in
            let request = stage.response(stage.seen(stage.current.request(bad)))
            request.suspend()
            request.cancel()
            stage.call(["after": "suspend, cancel"])
            request.resume()
        },
        "no-task/upload-bad-url": { stage in
            stage.response(stage.seen(stage.current.upload(Data("x".utf8), to: bad)))
        },
        "no-task/convertible-throws": { stage in
            stage.response(stage.seen(stage.current.request(Throwing())))
        },
        "no-task/validate": { stage in
            let log = stage.log
            stage.response(
                stage.seen(stage.current.request(bad)).validate().validate { _, _, _ in
                    log.add("validation")
                    return .success
                })
        },
    ]

    static let bad = "http://[::1"

    struct Throwing: URLRequestConvertible {
        func asURLRequest() throws -> URLRequest { throw PlainError(tag: "convertible") }
    }
}
