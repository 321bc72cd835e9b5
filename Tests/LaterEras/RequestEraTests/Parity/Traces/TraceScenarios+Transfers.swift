import ParitySupport
import SessionTasks
import TestSupport

@testable import RequestEra

extension TraceScenarios {
    static let cancel: [String: Play] = [
        "cancel/at-once": { stage in
            let request = stage.response(stage.get("/slow?ms=400"))
            request.cancel()
        },
        "cancel/while-waiting": { stage in
            let request = stage.response(stage.get("/slow?ms=400"))
            stage.data(request)
            await stage.served()
            request.cancel()
        },
        "cancel/mid-body": { stage in
            let request = stage.get("/bytes/4000?parts=4&held=1")
            let come = Signal()
            request.downloadProgress { _ in come.fire() }
            stage.response(request)
            stage.begin()
            await come.wait()
            request.cancel()
        },
        "cancel/twice": { stage in
            let request = stage.response(stage.get("/slow?ms=400"))
            await stage.served()
            request.cancel()
            request.cancel()
        },
        "cancel/in-handler": { stage in
            let request = stage.get("/ok")
            stage.data(request, "h1") { _ in request.cancel() }
            stage.data(request, "h2")
        },
        "cancel/after-end": { stage in
            let request = stage.data(stage.get("/ok"), "h1")
            await stage.handlers(1)
            await stage.settle()
            request.cancel()
            stage.data(request, "h2")
        },
        "cancel/not-started": idle { stage in
            let request = stage.response(stage.get("/ok"))
            request.cancel()
        },
        "cancel/suspended": { stage in
            let request = stage.response(stage.get("/slow?ms=300"))
            await stage.served()
            request.suspend()
            request.cancel()
        },
        "cancel/validations": { stage in
            let log = stage.log
            let request = stage.get("/slow?ms=400").validate { _, _, _ in
                log.add("validation")
                return .success
            }
            stage.response(request)
            await stage.served()
            request.cancel()
        },
        "cancel/retrier-asked": retrying(0) { stage in
            let request = stage.response(stage.get("/slow?ms=300"))
            await stage.served()
            request.cancel()
        },
        "cancel/retrier-yes": retrying(1) { stage in
            let request = stage.response(stage.get("/slow?ms=100"))
            await stage.served()
            request.cancel()
        },
        "cancel/in-retrier": { stage in
            stage.current.retrier = TraceRetrier(
                stage.log, first: { _, request in request.cancel() }
            ) { _, completion in
                completion(false, 0)
                return "no"
            }
            stage.response(stage.get("/status/503").validate())
        },
        "cancel/during-retry-delay": retrying(1, after: 0.3) { stage in
            let request = stage.response(stage.get("/flaky/1").validate())
            await stage.reaches(1, "retrier")
            stage.call(["calls": "cancel"])
            request.cancel()
        },
        "cancel/upload": { stage in
            let request = stage.response(stage.upload(TraceServer.bytes(2_000_000), "/echo"))
            request.cancel()
        },
        "cancel/download-resume-data": { stage in try await cancelDownload(stage) { $0.cancel() } },
        "cancel/download-without-resume-data": { stage in
            try await cancelDownload(stage) { $0.cancel(createResumeData: false) }
        },
    ]

    private static func cancelDownload(
        _ stage: TraceStage, _ cancel: (DownloadRequest) -> Void
    ) async throws {
        let request = stage.download("/bytes/4000?parts=4&ms=100&held=1")
        let come = Signal()
        request.downloadProgress { _ in come.fire() }
        stage.response(request)
        stage.begin()
        await come.wait()
        cancel(request)
    }

    static let manager: [String: Play] = [
        "manager/released": { stage in
            stage.delegate.sessionDidBecomeInvalidWithError = { [log = stage.log] _, error in
                log.add("sessionDidBecomeInvalid", ["error": short(error)])
            }
            stage.response(stage.get("/slow?ms=500"))
            stage.call(["manager": "released"])
            stage.manager = nil
        },
        "manager/released-while-retrier-waits": { stage in
            stage.current.retrier = TraceRetrier(stage.log) { _, completion in
                DispatchQueue.global().asyncAfter(deadline: .now() + 0.3) { completion(true, 0) }
                return nil
            }
            stage.response(stage.get("/flaky/1").validate())
            await stage.reaches(1, "retrier")
            stage.call(["manager": "released"])
            stage.manager = nil
        },
        "manager/init-session": { stage in
            let delegate = SessionDelegate()
            let session = { (delegate: SessionDelegate?) in
                URLSession(configuration: .ephemeral, delegate: delegate, delegateQueue: nil)
            }
            let sessions = [session(delegate), session(SessionDelegate()), session(nil)]
            for (name, session) in zip(["sameDelegate", "otherDelegate", "noDelegate"], sessions) {
                let manager = SessionManager(
                    session: session, delegate: delegate)
                stage.log.add("result", [name: .bool(manager != nil)])
                session.invalidateAndCancel()
            }
        },
        "manager/map": { stage in
            let first = stage.get("/slow?ms=100")
            await stage.served()
            let requests = [first, stage.get("/slow?ms=100")]
            stage.response(requests[0], "A")
            stage.response(requests[1], "B")
            stage.call([
                "A": .bool(requests[0].task.map { stage.delegate[$0] === requests[0] } ?? false),
                "B": .bool(requests[1].task.map { stage.delegate[$0] === requests[1] } ?? false),
                "inMap": .int(stage.delegate.taskCount),
            ])
            stage.server.release(TraceServer.gate, count: 1)
            await stage.handlers(1)
            stage.release()
        },
        "manager/map-cleared-by-hand": { stage in
            let request = stage.response(stage.get("/slow?ms=100"))
            if let task = request.task { stage.delegate[task] = nil }
            stage.release()
        },
        "override/sessionDidBecomeInvalid": { stage in
            stage.delegate.sessionDidBecomeInvalidWithError = { [log = stage.log] _, error in
                log.add("sessionDidBecomeInvalid", ["error": short(error)])
            }
            stage.current.session.finishTasksAndInvalidate()
        },
    ]

    static let upload: [String: Play] = [
        "upload/data": { stage in stage.string(stage.upload(Data("hello".utf8), "/echo")) },
        "upload/empty-data": { stage in stage.string(stage.upload(Data(), "/echo")) },
        "upload/put-headers": { stage in
            stage.string(
                stage.seen(
                    stage.current.upload(
                        Data("hello".utf8), to: stage.url("/echo"), method: .put,
                        headers: ["Content-Type": "text/x-test", "X-Test": "1"])))
        },
        "upload/file": { stage in
            let file = try stage.write("0123456789")
            stage.string(stage.seen(stage.current.upload(file, to: stage.url("/echo"))))
        },
        "upload/file-missing": { stage in
            let file = stage.folder.appendingPathComponent("missing")
            stage.string(stage.seen(stage.current.upload(file, to: stage.url("/echo"))))
        },
        "upload/stream": { stage in stage.string(stage.stream("hello", "/echo")) },
        "upload/stream-length": { stage in
            stage.string(stage.stream("hello", "/echo", headers: ["Content-Length": "5"]))
        },
        "upload/stream-redirect-307": { stage in
            stage.string(stage.stream("hello", "/redirect/307?to=/echo"))
        },
        "upload/progress": { stage in
            // The body may be sent before a closure that is added later comes.
            stage.current.startRequestsImmediately = false
            let request = stage.upload(TraceServer.bytes(100_000), "/echo")
            notes(stage, "uploadProgress") { request.uploadProgress(closure: $0) }
            notes(stage, "downloadProgress") { request.downloadProgress(closure: $0) }
            stage.response(request)
            request.resume()
            await stage.handlers(1)
            stage.log.set("uploadProgress", units(request.uploadProgress))
        },
        "upload/request-body-ignored": { stage in
            var plain = URLRequest(url: URL(string: stage.url("/echo")) ?? stage.folder)
            plain.httpMethod = "POST"
            plain.httpBody = Data("not this".utf8)
            stage.string(stage.seen(stage.current.upload(Data("hello".utf8), with: plain)))
        },
        "upload/late-latency": { stage in
            stage.response(stage.upload(Data("hello".utf8), "/slow?ms=300"))
        },
    ]

    static func units(_ progress: Progress) -> GoldenValue {
        [.int(Int(progress.completedUnitCount)), .int(Int(progress.totalUnitCount))]
    }

    /// Notes the first call in which a progress is complete.
    static func notes(
        _ stage: TraceStage, _ name: String, _ add: (@escaping Request.ProgressHandler) -> Void
    ) {
        let log = stage.log
        let isNoted = Locked(false)
        add { progress in
            guard progress.completedUnitCount == progress.totalUnitCount else { return }
            let isFirst = isNoted.withLock { isNoted in
                defer { isNoted = true }
                return !isNoted
            }
            guard isFirst else { return }
            log.add(
                name,
                [
                    "completed": .int(Int(progress.completedUnitCount)),
                    "total": .int(Int(progress.totalUnitCount)), "seen": "first time complete",
                ])
        }
    }

    static let progress: [String: Play] = [
        "progress/data": { stage in
            let request = stage.get("/bytes/50000?parts=5&ms=20")
            notes(stage, "downloadProgress") { request.downloadProgress(closure: $0) }
            stage.response(request)
            await stage.handlers(1)
            stage.log.set("progress", units(request.progress))
        },
        "progress/data-queue": { stage in
            let request = stage.get("/bytes/50000?parts=5&ms=20")
            notes(stage, "downloadProgress") {
                request.downloadProgress(queue: stage.queueA, closure: $0)
            }
            stage.response(request)
            await stage.handlers(1)
            stage.log.set("progress", units(request.progress))
        },
        "progress/unknown-total": { stage in
            let request = stage.get("/bytes/5000?chunked=1&parts=2&ms=30")
            let totals = Locked<Set<Int64>>([])
            request.downloadProgress { progress in
                _ = totals.withLock { $0.insert(progress.totalUnitCount) }
            }
            stage.response(request)
            await stage.handlers(1)
            await stage.settle()
            stage.log.set("progress", units(request.progress))
            stage.log.set(
                "totals", .array(totals.withLock { $0 }.sorted().map { .int(Int($0)) }))
        },
        "progress/before-start": idle { stage in
            stage.log.set("progress", units(stage.get("/ok").progress))
        },
        "progress/replaced": { stage in
            let request = stage.get("/ok")
            notes(stage, "first") { request.downloadProgress(closure: $0) }
            notes(stage, "second") { request.downloadProgress(closure: $0) }
            stage.response(request)
        },
        "stream/closure": { stage in
            let log = stage.log
            let total = Locked(0)
            let threads = Locked<Set<String>>([])
            let request = stage.get("/bytes/3000?parts=3&ms=30").stream { data in
                total.withLock { $0 += data.count }
                _ = threads.withLock { $0.insert(TraceThread.name) }
            }
            stage.response(request)
            stage.data(request)
            await stage.handlers(2)
            log.set("streamed", .int(total.withLock { $0 }))
            log.set(
                "streamThreads", .array(threads.withLock { $0 }.sorted().map { .string($0) }))
        },
        "stream/progress": { stage in
            let request = stage.get("/bytes/3000?parts=3&ms=30").stream { _ in }
            notes(stage, "downloadProgress") { request.downloadProgress(closure: $0) }
            stage.response(request)
        },
        "stream/validate": { stage in
            stage.response(
                stage.get("/ok").stream { _ in }.validate(contentType: ["application/json"]))
        },
        "stream/notification": { stage in
            let log = stage.log
            stage.response(
                stage.get("/ok").stream { log.add("stream", ["count": .int($0.count)]) })
        },
        "stream/nil": { stage in stage.response(stage.get("/ok").stream(closure: nil)) },
    ]
}
