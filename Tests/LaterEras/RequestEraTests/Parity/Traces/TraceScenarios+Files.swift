import ParitySupport
import SessionTasks
import TestSupport

@testable import RequestEra

extension TraceScenarios {
    // MARK: - Multipart

    static let multipart: [String: Play] = [
        "multipart/memory": { stage in try await form(stage) },
        "multipart/disk": { stage in try await form(stage, threshold: 0) },
        "multipart/threshold-equal": { stage in try await form(stage, threshold: 3) },
        "multipart/threshold-one-above": { stage in try await form(stage, threshold: 4) },
        "multipart/given-queue": { stage in try await form(stage, on: stage.queueA) },
        "multipart/bad-part": { stage in try await form(stage, badPart: true) },
        "multipart/bad-part-disk": { stage in try await form(stage, threshold: 0, badPart: true) },
        "multipart/bad-url": { stage in try await form(stage, to: bad) },
        "multipart/bad-url-queue": { stage in try await form(stage, to: bad, on: stage.queueA) },
        "multipart/disk-retry": retrying(1) { stage in
            try await form(stage, to: stage.url("/flaky/1"), threshold: 0, validates: true)
        },
        "multipart/disk-404": { stage in
            try await form(stage, to: stage.url("/status/404"), threshold: 0, validates: true)
        },
        "multipart/disk-cancel": { stage in
            try await form(stage, to: stage.url("/slow?ms=400"), threshold: 0) { request in
                await stage.served()
                request.cancel()
            }
        },
        "multipart/not-started": idle { stage in try await form(stage) { $0.resume() } },
        "multipart/adapter-throws": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            try await form(stage)
        },
        "multipart/adapter-throws-disk": { stage in
            stage.current.adapter = TraceAdapter.throwing(stage.log, at: 1...9)
            try await form(stage, threshold: 0)
        },
        "multipart/content-type-replaced": { stage in
            try await form(stage, headers: ["Content-Type": "text/plain"], isQuiet: true)
        },
    ]

    private static func form(
        _ stage: TraceStage, to address: String? = nil, threshold: UInt64? = nil,
        on queue: DispatchQueue? = nil, headers: HTTPHeaders? = nil, badPart: Bool = false,
        validates: Bool = false, isQuiet: Bool = false,
        then: @escaping @MainActor (UploadRequest) async -> Void = { _ in }
    ) async throws {
        let log = stage.log
        let made = Watched<(UploadRequest?, URL?)?>(nil)
        let isReturned = Watched(false)
        stage.current.upload(
            multipartFormData: { form in
                _ = isReturned.blockUntil { $0 }
                form.boundary = "fixed"
                if !isQuiet { log.add("multipart closure") }
                if badPart {
                    if let url = URL(string: "https://h/a") {
                        form.append(url, withName: "b", fileName: "a.txt", mimeType: "text/plain")
                    }
                } else {
                    form.append(Data("bar".utf8), withName: "foo")
                }
            },
            usingThreshold: threshold ?? SessionManager.multipartFormDataEncodingMemoryThreshold,
            to: address ?? stage.url("/echo"), headers: headers, queue: queue
        ) { result in
            switch result {
            case .success(let request, let isStreaming, let file):
                let names = file.map { $0.deletingLastPathComponent().pathComponents.suffix(2) }
                if !isQuiet {
                    log.add(
                        "encoding completion",
                        [
                            "result": "success", "streamingFromDisk": .bool(isStreaming),
                            "streamFileURL": file == nil ? "nil" : "set",
                            "fileExists": .bool(
                                file.map { FileManager.default.fileExists(atPath: $0.path) }
                                    ?? false),
                            "fileFolder": names.map { .string($0.joined(separator: "/")) }
                                ?? "nil",
                        ])
                }
                log.name(request)
                if validates { request.validate() }
                stage.string(request)
                made.change { $0 = (request, file) }
            case .failure(let error):
                log.add("encoding completion", ["result": "failure", "error": short(error)])
                made.change { $0 = (nil, nil) }
            }
        }
        if !isQuiet { stage.call(["upload": "returned"]) }
        isReturned.change { $0 = true }
        // The recorder's server was slower than its main queue.
        _ = await made.reaches { $0 != nil }
        stage.begin()
        guard case (let request?, let file)?? = Optional(made.now) else {
            return log.set("handlersCalled", 1)
        }
        await then(request)
        await stage.handlers(1)
        await stage.settle()
        if !isQuiet {
            log.set(
                "fileExistsAtEnd",
                .bool(file.map { FileManager.default.fileExists(atPath: $0.path) } ?? false))
        }
    }

    // MARK: - Downloads

    static let download: [String: Play] = [
        "download/no-destination": { stage in stage.response(stage.download("/ok")) },
        "download/no-destination-string": { stage in stage.string(stage.download("/ok")) },
        "download/destination": { stage in
            let request = stage.response(stage.download("/ok", to: []))
            stage.string(request)
        },
        "download/missing-folder": { stage in
            stage.response(stage.download("/ok", to: [], in: "missing"))
        },
        "download/create-folders": { stage in
            stage.response(
                stage.download("/ok", to: .createIntermediateDirectories, in: "missing/too"))
        },
        "download/taken": { stage in
            try Data("old".utf8).write(to: stage.file)
            stage.response(stage.download("/ok", to: []))
        },
        "download/remove-previous": { stage in
            try Data("old".utf8).write(to: stage.file)
            stage.response(stage.download("/ok", to: .removePreviousFile))
        },
        "download/remove-previous-no-folder": { stage in
            stage.response(stage.download("/ok", to: .removePreviousFile, in: "missing"))
        },
        "download/destination-is-temporary": { stage in
            stage.response(
                stage.seen(
                    stage.current.download(stage.url("/ok")) { temporary, _ in (temporary, []) }))
        },
        "download/404": { stage in stage.response(stage.download("/status/404", to: [])) },
        "download/move-error-retrier": retrying(0) { stage in
            stage.response(stage.download("/ok", to: [], in: "missing"))
        },
        "download/move-error-and-validation": { stage in
            stage.response(stage.download("/status/404", to: [], in: "missing").validate())
        },
        "download/progress": { stage in
            let request = stage.download("/bytes/50000?parts=5&ms=20")
            notes(stage, "downloadProgress") { request.downloadProgress(closure: $0) }
            stage.response(request)
            await stage.handlers(1)
            stage.log.set("progress", units(request.progress))
        },
        "download/204": { stage in stage.string(stage.download("/status/204")) },
        "download/empty": { stage in stage.response(stage.download("/empty", to: [])) },
        "download/dropped": { stage in
            let request = stage.response(stage.download("/drop"))
            stage.string(request)
        },
        "download/resume-garbage": { stage in
            stage.current.adapter = TraceAdapter(stage.log) { _, request in request }
            stage.response(
                stage.seen(stage.current.download(resumingWith: Data([1, 2, 3]))))
        },
        "download/suggested-name": { stage in
            let destination = DownloadRequest.suggestedDownloadDestination(
                for: .cachesDirectory, in: .userDomainMask)
            let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask)
            let temporary = stage.folder.appendingPathComponent("t")
            guard let url = URL(string: "http://example.com"),
                let named = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil,
                    headerFields: ["Content-Disposition": "attachment; filename=\"given.txt\""]),
                let unnamed = HTTPURLResponse(
                    url: url, statusCode: 200, httpVersion: nil,
                    headerFields: nil)
            else { return }
            let (place, options) = destination(temporary, named)
            stage.log.add(
                "result",
                [
                    "name": .string(place.lastPathComponent),
                    "options": .int(Int(options.rawValue)),
                    "inCaches": .bool(
                        place.deletingLastPathComponent().path == caches.first?.path),
                ])
            stage.log.add(
                "result",
                ["nameWithout": .string(destination(temporary, unnamed).0.lastPathComponent)])
        },
        "download/post": { stage in
            stage.string(
                stage.seen(
                    stage.current.download(
                        stage.url("/echo"), method: .post, parameters: ["a": "b"])))
        },
        "download/late-latency": { stage in stage.response(stage.download("/slow?ms=300")) },
    ]

    // MARK: - Closures in place of what the delegate does

    static let override: [String: Play] = [
        "override/taskDidComplete": { stage in
            notesEnd(stage)
            stage.response(stage.get("/ok"))
        },
        "override/taskDidComplete-validation": { stage in
            notesEnd(stage)
            stage.response(stage.get("/status/404").validate())
        },
        "override/taskDidComplete-retry": { stage in
            notesEnd(stage)
            stage.current.retrier = TraceRetrier.yes(stage.log, times: 1)
            stage.response(stage.get("/flaky/1").validate())
        },
        "override/dataTaskDidReceiveData": { stage in
            let got = Locked(0)
            stage.delegate.dataTaskDidReceiveData = { _, _, data in
                got.withLock { $0 += data.count }
            }
            stage.response(stage.get("/ok"))
            await stage.handlers(1)
            stage.log.set("closureGot", .int(got.withLock { $0 }))
        },
        "override/dataTaskDidReceiveResponse": { stage in
            answers(stage, .allow)
            stage.response(stage.get("/ok"))
        },
        "override/dataTaskDidReceiveResponse-cancel": { stage in
            answers(stage, .cancel)
            stage.response(stage.get("/ok"))
        },
        "override/didReceiveResponse-completion-wins": { stage in
            let log = stage.log
            answers(stage, .allow)
            stage.delegate.dataTaskDidReceiveResponseWithCompletion = { _, _, _, completion in
                log.add("with completion")
                completion(.allow)
            }
            stage.response(stage.get("/ok"))
        },
        "override/downloadDidFinish": { stage in
            let log = stage.log
            stage.delegate.downloadTaskDidFinishDownloadingToURL = { _, _, url in
                log.add(
                    "didFinishDownloading",
                    ["exists": .bool(FileManager.default.fileExists(atPath: url.path))])
            }
            let request = stage.response(stage.download("/ok", to: [], noting: true))
            stage.string(request)
        },
        "override/downloadDidWriteData": { stage in
            let got = Locked(0)
            stage.delegate.downloadTaskDidWriteData = { _, _, count, _, _ in
                got.withLock { $0 += Int(count) }
            }
            let request = stage.response(stage.download("/ok"))
            await stage.handlers(1)
            stage.log.set("closureGot", .int(got.withLock { $0 }))
            stage.log.set("progress", units(request.progress))
        },
        "override/taskDidSendBodyData": { stage in
            let got = Locked(0)
            stage.delegate.taskDidSendBodyData = { _, _, count, _, _ in
                got.withLock { $0 += Int(count) }
            }
            let request = stage.response(stage.upload(Data("hello".utf8), "/ok"))
            await stage.handlers(1)
            stage.log.set("closureGot", .int(got.withLock { $0 }))
            stage.log.set("uploadProgress", units(request.uploadProgress))
        },
        "override/taskNeedNewBodyStream": { stage in
            let log = stage.log
            stage.delegate.taskNeedNewBodyStream = { _, _ in
                log.add("needNewBodyStream", thread: "any")
                return InputStream(data: Data("other".utf8))
            }
            stage.string(stage.stream("hello", "/echo"))
        },
    ]

    private static func notesEnd(_ stage: TraceStage) {
        let log = stage.log
        stage.delegate.taskDidComplete = { _, _, error in
            log.add("taskDidComplete", ["error": short(error)])
        }
    }

    private static func answers(
        _ stage: TraceStage, _ disposition: URLSession.ResponseDisposition
    ) {
        let log = stage.log
        stage.delegate.dataTaskDidReceiveResponse = { _, _, response in
            let status = (response as? HTTPURLResponse)?.statusCode ?? 0
            log.add("didReceiveResponse", ["status": .int(status)])
            return disposition
        }
    }
}
