import ParitySupport
import SessionTasks
import TestSupport

@testable import RequestEra

extension TraceScenarios {
    static let start: [String: Play] = [
        "start/never": idle { stage in stage.response(stage.get("/ok")) },
        "start/not-immediately": idle { stage in
            let request = stage.response(stage.get("/ok"))
            stage.call(["taskState": .int(request.task?.state.rawValue ?? -1)])
            await stage.settle()
            stage.call(["calls": "resume"])
            request.resume()
            stage.call(["resume": "returned"])
        },
        "start/resume-twice": { stage in
            let request = stage.response(stage.get("/ok"))
            request.resume()
        },
        "start/resume-after-end": { stage in
            let request = stage.response(stage.get("/ok"))
            await stage.handlers(1)
            await stage.settle()
            stage.call(["calls": "resume"])
            request.resume()
        },
        "start/suspend-before-start": idle { stage in
            let request = stage.response(stage.get("/ok"))
            request.suspend()
            request.resume()
            request.resume()
        },
        "start/suspend-resume": { stage in
            let request = stage.response(stage.get("/slow?ms=200"))
            await stage.served()
            request.suspend()
            stage.call(["suspended": .bool(request.task?.state == .suspended)])
            request.resume()
            stage.call(["resumed": .bool(request.task?.state == .running)])
            stage.release()
        },
        "start/suspend-after-end": { stage in
            let request = stage.response(stage.get("/ok"))
            await stage.handlers(1)
            await stage.settle()
            request.suspend()
        },
        "start/upload-not-immediately": idle { stage in
            let request = stage.response(stage.upload(Data("x".utf8), "/echo"))
            request.resume()
        },
        "start/two-requests": { stage in
            // The second is answered after the first has ended.
            stage.server.add("/json") { _ in .json(#"{"a":1}"#).after(.wait(gate: "second")) }
            stage.response(stage.get("/ok"), "A")
            stage.response(stage.get("/json"), "B")
            await stage.handlers(1)
            stage.server.release("second")
        },
    ]

    static let retry: [String: Play] = [
        "retry/no": retrying(0) { stage in stage.response(stage.get("/status/503").validate()) },
        "retry/once": retrying(1) { stage in stage.response(stage.get("/flaky/1").validate()) },
        "retry/three-times": retrying(3) { stage in
            stage.string(stage.get("/flaky/3").validate())
        },
        "retry/gives-up": retrying(2) { stage in
            let request = stage.response(stage.get("/flaky/9").validate())
            stage.string(request)
        },
        "retry/delay": retrying(1, after: 0.2) { stage in
            let request = stage.response(stage.get("/flaky/1").validate())
            await stage.reaches(1, "retrier")
            stage.call([
                "dataCount": count(request.delegate.data), "error": short(request.delegate.error),
                "retryCount": .int(Int(request.retryCount)),
            ])
        },
        "retry/negative-delay": retrying(1, after: -1) { stage in
            stage.response(stage.get("/flaky/1").validate())
        },
        "retry/answers-later": { stage in
            let queue = stage.queueB
            stage.current.retrier = TraceRetrier(stage.log) { call, completion in
                queue.asyncAfter(deadline: .now() + 0.05) { completion(call == 1, 0) }
                return nil
            }
            stage.response(stage.get("/flaky/1").validate())
        },
        "retry/never-answers": { stage in
            stage.current.retrier = TraceRetrier(stage.log) { _, _ in nil }
            stage.response(stage.get("/status/503").validate())
        },
        "retry/answers-no-twice": { stage in
            stage.current.retrier = TraceRetrier(stage.log) { _, completion in
                completion(false, 0)
                completion(false, 0)
                return "no"
            }
            stage.response(stage.get("/status/503").validate())
        },
        "retry/answers-yes-twice": { stage in
            let calls = Locked(0)
            stage.current.retrier = Unnoted { completion in
                let isFirst = calls.withLock { calls in
                    calls += 1
                    return calls == 1
                }
                completion(isFirst, 0)
                completion(isFirst, 0)
            }
            stage.response(stage.get("/flaky/1").validate())
        },
        "retry/not-asked-without-validation": retrying(1) { stage in
            stage.response(stage.get("/status/503"))
        },
        "retry/connection-error": retrying(1) { stage in stage.string(stage.get("/drop-first/1")) },
        "retry/custom-validation-each-time": { stage in
            let log = stage.log
            stage.current.retrier = TraceRetrier.yes(log, times: 1)
            stage.response(
                stage.get("/flaky/1").validate { _, response, _ in
                    log.add("validation", ["status": .int(response.statusCode)])
                    return response.statusCode == 503
                        ? .failure(PlainError(tag: "503")) : .success
                })
        },
        "retry/handler-added-between": retrying(1, after: 0.2) { stage in
            let request = stage.data(stage.get("/flaky/1").validate(), "h1")
            await stage.reaches(1, "retrier")
            stage.data(request, "h2")
        },
        "retry/download": retrying(1) { stage in
            let request = stage.download("/flaky/1", to: .removePreviousFile, noting: true)
            stage.response(request.validate())
            await stage.handlers(1)
            stage.log.set("contents", contents(stage.file))
        },
        "retry/download-destination-taken": retrying(1) { stage in
            let request = stage.download("/flaky/1", to: [], noting: true)
            stage.response(request.validate())
            await stage.handlers(1)
            stage.log.set("contents", contents(stage.file))
        },
        "retry/download-stale-destination": retrying(1) { stage in
            let request = stage.download("/flaky-drop/1", to: [], noting: true).validate()
            stage.response(request)
            stage.string(request)
        },
        "retry/upload-data": retrying(1) { stage in
            stage.string(stage.upload(Data("hello".utf8), "/flaky/1").validate())
        },
        "retry/upload-file": retrying(1) { stage in
            let file = try stage.write("hello")
            stage.string(
                stage.seen(stage.current.upload(file, to: stage.url("/flaky/1"))).validate())
        },
        "retry/upload-stream": retrying(1) { stage in
            stage.string(stage.stream("hello", "/flaky/1").validate())
        },
        "retry/progress-object": retrying(1, after: 0.1) { stage in
            let request = stage.get("/flaky/1").validate()
            request.downloadProgress { _ in }
            let before = request.progress
            stage.response(request)
            await stage.handlers(1)
            stage.log.set("sameProgressObject", .bool(request.progress === before))
        },
        "retry/stream-closure": { stage in
            let log = stage.log
            stage.current.retrier = TraceRetrier.yes(log, times: 1)
            let total = Locked(0)
            let request = stage.get("/flaky/1").stream { data in
                total.withLock { $0 += data.count }
            }
            stage.response(request.validate())
            await stage.handlers(1)
            log.set("streamed", .int(total.withLock { $0 }))
        },
        "retry/new-task": idle { stage in
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 1)
            let request = stage.get("/flaky/1").validate()
            let first = request.task
            stage.response(request)
            request.resume()
            await stage.handlers(1)
            let second = request.task
            stage.log.set(
                "laterIdentifier",
                .bool((second?.taskIdentifier ?? 0) > (first?.taskIdentifier ?? 0)))
            stage.log.set("sameTask", .bool(first === second))
            stage.log.set("oldInMap", .bool(first.map { stage.delegate[$0] != nil } ?? true))
        },
        "retry/retrier-removed": { stage in
            stage.current.retrier = TraceRetrier(
                stage.log, first: { manager, _ in manager.retrier = nil }
            ) { _, completion in
                completion(true, 0)
                return nil
            }
            stage.response(stage.get("/flaky/9").validate())
        },
        "retry/resume-in-wait": retrying(1, after: 0.3) { stage in
            let request = stage.response(stage.get("/flaky/1").validate())
            await stage.reaches(1, "retrier")
            stage.call(["calls": "resume"])
            request.resume()
        },
        "retry/late-start-time": { stage in
            stage.current.retrier = Unnoted.once(after: 0.3)
            stage.response(stage.get("/flaky/1").validate())
        },
    ]

    static let adapter: [String: Play] = [
        "adapter/adds-header": { stage in
            stage.current.adapter = TraceAdapter(stage.log) { _, request in
                var request = request
                request.setValue("1", forHTTPHeaderField: "X-Adapted")
                return request
            }
            stage.response(stage.get("/ok"))
        },
        "adapter/changes-url": { stage in
            let other = stage.url("/json")
            stage.current.adapter = TraceAdapter(stage.log) { _, request in
                var request = request
                request.url = URL(string: other)
                return request
            }
            let request = stage.response(stage.get("/ok"))
            await stage.handlers(1)
            stage.log.set("requestPath", .string(request.request?.url?.path ?? ""))
        },
        "adapter/throws": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            let request = stage.response(stage.get("/ok"))
            stage.json(request)
        },
        "adapter/throws-not-started": idle { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            let request = stage.response(stage.get("/ok"))
            await stage.settle()
            stage.call(["calls": "resume"])
            request.resume()
        },
        "adapter/throws-retrier-no": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 0)
            stage.response(stage.get("/ok"))
        },
        "adapter/throws-retrier-no-not-started": idle { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 0)
            stage.response(stage.get("/ok"))
        },
        "adapter/throws-once-retrier-yes": { stage in
            throwsOnce(stage)
            stage.response(stage.get("/ok"))
        },
        "adapter/throws-once-retrier-yes-delay": { stage in
            throwsOnce(stage, after: 0.2)
            stage.response(stage.get("/ok"))
        },
        "adapter/throws-once-not-started": idle { stage in
            throwsOnce(stage)
            stage.response(stage.get("/ok"))
        },
        "adapter/throws-once-cancel-in-wait": { stage in
            throwsOnce(stage, after: 0.2)
            let request = stage.response(stage.get("/ok"))
            await stage.reaches(1, "retrier")
            stage.call(["calls": "cancel"])
            request.cancel()
        },
        "adapter/throws-once-resume-in-wait": { stage in
            throwsOnce(stage, after: 0.2)
            let request = stage.response(stage.get("/ok"))
            await stage.reaches(1, "retrier")
            stage.call(["calls": "resume"])
            request.resume()
        },
        "adapter/throws-once-suspend-in-wait": { stage in
            throwsOnce(stage, after: 0.2)
            let request = stage.response(stage.get("/ok"))
            await stage.reaches(1, "retrier")
            stage.call(["calls": "suspend"])
            request.suspend()
            await stage.reaches(2, "adapter")
            while request.task == nil { await Task.yield() }
        },
        "adapter/throws-twice-retrier-yes": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9, numbered: true)
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 9)
            stage.response(stage.get("/ok"))
        },
        "adapter/throws-on-retry": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 2...2, numbered: true)
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 9)
            stage.response(stage.get("/flaky/1").validate())
        },
        "adapter/each-attempt": { stage in
            stage.current.adapter = TraceAdapter(stage.log) { call, request in
                var request = request
                request.setValue("\(call)", forHTTPHeaderField: "X-Adapted")
                return request
            }
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 9)
            stage.response(stage.get("/flaky/2").validate())
        },
        "adapter/download-throws": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            stage.response(stage.download("/ok"))
        },
        "adapter/download-throws-once": { stage in
            throwsOnce(stage)
            stage.string(stage.download("/ok"))
        },
        "adapter/upload-throws": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            stage.response(stage.upload(Data("hello".utf8), "/ok"))
        },
        "adapter/upload-throws-once": { stage in
            throwsOnce(stage)
            stage.response(stage.upload(Data("hello".utf8), "/ok"))
        },
        "adapter/bad-url": { stage in
            throwsOnce(stage)
            stage.response(stage.seen(stage.current.request(bad)))
        },
        "adapter/late-sees": { stage in
            stage.current.adapter = TraceAdapter(stage.log) { _, request in request }
            stage.response(
                stage.seen(
                    stage.current.request(
                        stage.url("/ok"), method: .post, parameters: ["a": 1],
                        headers: ["X-Test": "t"])))
        },
        "adapter/late-not-timed": { stage in
            stage.current.adapter = Unhurried()
            stage.response(stage.get("/ok"))
        },
    ]

    private static func throwsOnce(_ stage: TraceStage, after delay: TimeInterval = 0) {
        stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...1)
        stage.current.retrier = TraceRetrier.yes(stage.log, times: 9, after: delay)
    }

    static func contents(_ file: URL) -> GoldenValue {
        (try? Data(contentsOf: file)).map { .string(String(decoding: $0, as: UTF8.self)) }
            ?? .absent
    }

    private struct Unhurried: RequestAdapter {
        func adapt(_ urlRequest: URLRequest) throws -> URLRequest {
            // The recorder's adapter took 0.3 s.
            Thread.sleep(forTimeInterval: 0.3)
            return urlRequest
        }
    }

    /// A retrier that notes nothing.
    private struct Unnoted: RequestRetrier {
        let answer: @Sendable (RequestRetryCompletion) -> Void

        static func once(after delay: TimeInterval) -> Unnoted {
            let isFirst = Locked(true)
            return Unnoted { completion in
                let isYes = isFirst.withLock { isFirst in
                    defer { isFirst = false }
                    return isFirst
                }
                completion(isYes, delay)
            }
        }

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            answer(completion)
        }
    }
}
