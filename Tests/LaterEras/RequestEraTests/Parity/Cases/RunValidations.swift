import ParitySupport
import RequestEra
import TestSupport

/// The cases about the order of validations: requests that run.
enum RunValidations {
    static func play(_ recorded: RecordedCase) async throws -> GoldenValue {
        let input = recorded.input
        let server = LoopbackServer()
        let status = input["status"]?.int ?? 200
        let type = input["Content-Type"]?.string ?? "text/plain"
        server.add("/two") { _ in .text("ok", status: status, contentType: type) }
        try server.start()
        defer { server.stop() }
        let manager = SessionManager(configuration: .ephemeral)
        if recorded.id == "download/custom" {
            return try await download(input, manager, server.url("/two"))
        }
        if input["calls"]?.string == "validate(), executed twice (as in a retry)" {
            return await twice(manager, server.url("/two"))
        }
        // Where there is no response the request fails for its transfer, which is not told here.
        let hasResponse = input["response"]?.isNil != true
        if !hasResponse { server.stop() }
        let called = Log<String>()
        let request = manager.request(server.url("/two"))
        switch input["calls"]?.string {
        case "validate(contentType: [text/plain]).validate(statusCode: 200..<300)":
            request.validate(contentType: ["text/plain"]).validate(statusCode: 200..<300)
        case "validate(statusCode: 200..<300).validate(contentType: [text/plain])":
            request.validate(statusCode: 200..<300).validate(contentType: ["text/plain"])
        case let calls?: throw Unplayed(calls)
        case nil:
            guard let kinds = input["validations"]?.elements.compactMap(\.string) else {
                throw Unplayed(recorded.id)
            }
            for (index, kind) in kinds.enumerated() {
                request.validate { made, response, data in
                    called.add(
                        "v\(index + 1) status=\(response.statusCode) data=\(data?.count ?? -1) "
                            + "request=\(made == nil ? "no" : "yes")")
                    return kind == "fails" ? .failure(PlainError(tag: "v\(index + 1)")) : .success
                }
            }
        }
        let error = await ended(request)
        let shown = hasResponse || !(error is URLError) ? SeenValue.error(error) : .absent
        return ["called": .array(called.all.map { .string($0) }), "error": shown]
    }

    /// Retried once: the validations run in both attempts.
    private static func twice(_ manager: SessionManager, _ url: URL) async -> GoldenValue {
        let retrier = RetriesOnce()
        manager.retrier = retrier
        let error = await ended(manager.request(url).validate())
        return [
            "first": SeenValue.error(retrier.first.withLock { $0 }),
            "second": SeenValue.error(error),
        ]
    }

    private static func download(
        _ input: GoldenValue, _ manager: SessionManager, _ url: URL
    ) async throws -> GoldenValue {
        let called = Log<String>()
        let request = manager.download(url)
        for (index, kind) in (input["validations"]?.elements ?? []).enumerated() {
            request.validate { _, response, temporary, destination in
                // The recorder's file has a name of its own.
                called.add(
                    "status=\(response.statusCode) temporary=\(temporary == nil ? "nil" : "v-body") "
                        + "destination=\(destination?.lastPathComponent ?? "nil")")
                return kind == "fails"
                    ? .failure(PlainError(tag: index == 0 ? "first" : "second")) : .success
            }
        }
        let error = await withCheckedContinuation { continuation in
            request.response { continuation.resume(returning: $0.error) }
        }
        return [
            "called": .array(called.all.map { .string($0) }), "error": SeenValue.error(error),
        ]
    }

    private static func ended(_ request: DataRequest) async -> (any Error)? {
        await withCheckedContinuation { continuation in
            request.response { continuation.resume(returning: $0.error) }
        }
    }

    private final class RetriesOnce: RequestRetrier {
        let first = Locked<(any Error)?>(nil)

        func should(
            _ manager: SessionManager, retry request: Request, with error: any Error,
            completion: @escaping RequestRetryCompletion
        ) {
            let isFirst = first.withLock { first in
                defer { first = first ?? error }
                return first == nil
            }
            completion(isFirst, 0)
        }
    }
}
