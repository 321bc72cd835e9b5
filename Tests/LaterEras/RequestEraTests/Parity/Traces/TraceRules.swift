import Foundation
import ParitySupport

/// A difference that is meant: what it makes of a recording is the one outcome that it allows.
struct TraceRule: Sendable {
    let cause: ParityRule.Cause
    let reason: String
    let ids: Set<String>
    let change: @Sendable (inout TraceComparison.Expected) -> Void

    init(
        _ cause: ParityRule.Cause, _ reason: String, _ ids: Set<String>,
        _ change: @escaping @Sendable (inout TraceComparison.Expected) -> Void
    ) {
        self.cause = cause
        self.reason = reason
        self.ids = ids
        self.change = change
    }
}

extension TraceComparison.Expected {
    /// Takes events out; the others keep their order.
    mutating func remove(_ isOut: (GoldenValue) -> Bool) {
        let kept = events.indices.filter { !isOut(events[$0]) }
        let places = Dictionary(uniqueKeysWithValues: zip(kept, kept.indices))
        open = Set(
            open.compactMap { pair in
                let new = pair.compactMap { places[$0] }
                return new.count == 2 ? new : nil
            })
        events = kept.map { events[$0] }
    }

    mutating func removeLast(_ kind: String, count: Int = 1) {
        let places = events.indices.filter { events[$0]["e"]?.string == kind }.suffix(count)
        var index = -1
        remove { _ in
            index += 1
            return places.contains(index)
        }
    }

    /// Gives the events of a kind other members; nil takes one away.
    mutating func set(_ kind: String, _ members: [String: GoldenValue?]) {
        for index in events.indices where events[index]["e"]?.string == kind {
            events[index] = events[index].setting(members)
        }
    }

    /// The same for the notification of the end.
    mutating func setEnd(_ members: [String: GoldenValue?]) {
        for index in events.indices where events[index]["name"]?.string == "DidComplete" {
            events[index] = events[index].setting(members)
        }
    }

    /// Gives the request's state at the end other members.
    mutating func setState(_ members: [String: GoldenValue?]) {
        final["A"] = (final["A"] ?? [:]).setting(members)
    }

    /// The server saw only so many of the requests.
    mutating func serverSaw(_ count: Int) {
        final["serverSaw"] = .array(Array((final["serverSaw"]?.elements ?? []).prefix(count)))
    }

    /// The description without a status.
    mutating func forgetStatus() {
        guard let text = final["A"]?["description"]?.string else { return }
        setState([
            "status": .absent,
            "description": .string(String(text.prefix { $0 != "(" }).trimmed),
        ])
    }

    /// The request ends with so many bytes.
    mutating func end(with count: Int) {
        setEnd(["responseDataCount": .int(count)])
        set("handler", ["dataCount": .int(count)])
        setState(["dataCount": .int(count)])
    }

    /// A request that was cancelled ends so: the code of the error is URLSession's.
    mutating func endCancelled(data: GoldenValue?, status: GoldenValue) {
        set("handler", ["error": "NSURLErrorDomain -999", "status": status])
        setState(["error": "NSURLErrorDomain -999", "retryCount": 0])
        if let data {
            set("handler", ["dataCount": data])
            setEnd(["responseDataCount": data])
            setState(["dataCount": data])
        }
        if status.isNil { forgetStatus() } else { setState(["status": status]) }
    }
}

extension GoldenValue {
    func setting(_ members: [String: GoldenValue?]) -> GoldenValue {
        var all = self.members
        for (name, value) in members { all[name] = value }
        return .object(all)
    }
}

extension String {
    fileprivate var trimmed: String {
        hasSuffix(" ") ? String(dropLast()) : self
    }
}

enum TraceRules {
    static let all = deliberate + foundations

    /// An end of the request on the delegate queue, as recorded.
    private static func end(_ count: Int) -> GoldenValue {
        [
            "e": "notification", "name": "DidComplete", "object": "the session delegate",
            "taskInUserInfo": true, "thread": "the session's delegate queue",
            "responseDataCount": .int(count),
        ]
    }

    private static func handler(
        _ error: GoldenValue, _ count: Int, _ status: GoldenValue
    ) -> GoldenValue {
        [
            "e": "handler", "handler": "response", "thread": "main", "request": true,
            "error": error, "dataCount": .int(count), "status": status,
        ]
    }

    static let deliberate: [TraceRule] = [
        TraceRule(
            .statement(7),
            "In a serializer `OperationQueue.current` is nil unless `delegate.queue` of the request was "
                + "read before",
            ["handlers/serializers-run-one-after-another"]
        ) { expected in
            for index in expected.events.indices
            where expected.events[index]["thread"] == "the request's queue" {
                // What the recorder calls a thread without an operation queue.
                expected.events[index] = expected.events[index].setting(["thread": "utility queue"])
            }
        },
        TraceRule(
            .statement(12), "A request ends once; a second answer of the retrier is ignored.",
            ["retry/answers-no-twice"]
        ) { expected in
            var ends = 0
            expected.remove { event in
                guard event["name"]?.string == "DidComplete" else { return false }
                ends += 1
                return ends > 1
            }
        },
        TraceRule(
            .statement(25), "A second yes of the retrier starts no second task.",
            ["retry/answers-yes-twice"]
        ) { expected in
            expected.remove {
                $0["name"]?.string == "DidComplete" && $0["responseDataCount"] == nil
            }
            expected.setState(["retryCount": 1])
            expected.serverSaw(2)
        },
        TraceRule(
            .statement(32),
            "A retried download replaces its own file, also without `removePreviousFile`.",
            ["retry/download-destination-taken"]
        ) { expected in
            expected.removeLast("retrier")
            expected.set(
                "handler",
                ["error": .absent, "destinationFileSize": 7, "temporaryFileExists": false])
            expected.setState(["error": .absent])
            expected.final["contents"] = "after 2"
        },
        TraceRule(
            .statement(32),
            "What the first attempt wrote is not reported for a second one without an answer.",
            ["retry/download-stale-destination"]
        ) { expected in
            expected.set(
                "handler",
                ["destinationFileSize": -1, "destinationURL": "nil", "temporaryURL": "nil"])
        },
        TraceRule(
            .statement(13),
            "A stream that was read is never sent again: the request fails with an `AFError`.",
            ["retry/upload-stream"]
        ) { expected in
            let error: GoldenValue = "AFError.multipartEncodingFailed.inputStreamReadFailed"
            expected.setEnd(["responseDataCount": 0])
            expected.set(
                "handler",
                [
                    "error": error, "dataCount": 0, "status": .absent, "value": .absent,
                    "result": "FAILURE",
                ])
            expected.setState(["error": error, "dataCount": 0, "retryCount": 0])
            expected.forgetStatus()
            expected.serverSaw(1)
        },
        TraceRule(
            .statement(26),
            "Where the adapter throws in a retry, the end comes on the delegate queue, without "
                + "status and data of the answer before.",
            ["adapter/throws-on-retry"]
        ) { expected in
            expected.setEnd([
                "responseDataCount": 0, "thread": "the session's delegate queue",
            ])
            expected.set("handler", ["dataCount": 0, "status": .absent])
            expected.setState(["dataCount": 0])
            expected.forgetStatus()
        },
        TraceRule(
            .statement(25), "`cancel()` ends the wait for a retry.", ["cancel/during-retry-delay"]
        ) { expected in
            expected.setState([
                "description": "GET {base}/flaky/1?k={k} (503)", "status": 503,
            ])
            expected.endCancelled(data: 5, status: 503)
            expected.serverSaw(1)
        },
        TraceRule(
            .statement(25), "A cancelled request stays cancelled, whatever the retrier answers.",
            ["cancel/retrier-yes"]
        ) { expected in
            expected.endCancelled(data: 0, status: .absent)
            expected.serverSaw(1)
        },
        TraceRule(
            .statement(25), "A request that its retrier cancels ends so, whatever it answers.",
            ["cancel/in-retrier"]
        ) { expected in
            expected.set("handler", ["error": "NSURLErrorDomain -999"])
            expected.setState(["error": "NSURLErrorDomain -999"])
        },
        TraceRule(
            .statement(24),
            "`suspend()` in the wait after an adapter's error holds the attempt that follows.",
            ["adapter/throws-once-suspend-in-wait"]
        ) { expected in
            expected.remove {
                $0["e"]?.string == "handler" || $0["name"]?.string == "DidComplete"
            }
            expected.setState([
                "dataCount": 0, "handlersStillQueued": 2, "inMap": true, "queueSuspended": true,
                "retryCount": 1, "taskState": "suspended",
            ])
            expected.forgetStatus()
            expected.final["handlersCalled"] = 0
            expected.final["requestsInMap"] = 1
            expected.serverSaw(0)
        },
        TraceRule(
            .statement(24), "`cancel()` in the wait after an adapter's error ends the request.",
            ["adapter/throws-once-cancel-in-wait"]
        ) { expected in
            expected.remove { $0["name"]?.string == "DidComplete" }
            expected.removeLast("adapter")
            expected.endCancelled(data: 0, status: .absent)
            expected.setState(["hasTask": false, "taskState": nil])
            expected.serverSaw(0)
        },
        TraceRule(
            .statement(24),
            "`resume()` in the wait after an adapter's error waits for the retry's response.",
            ["adapter/throws-once-resume-in-wait"]
        ) { expected in
            expected.remove {
                $0["e"]?.string == "handler" || $0["name"]?.string == "DidComplete"
            }
            expected.events += [end(11), handler(.absent, 11, 200)]
            expected.setState([
                "dataCount": 11, "status": 200, "error": .absent, "retryCount": 1,
                "hasTask": true, "queueSuspended": false, "handlersStillQueued": 0,
            ])
            expected.final["handlersCalled"] = 1
        },
        TraceRule(
            .statement(39), "A manager that is released while a retry waits ends the request.",
            ["manager/released-while-retrier-waits"]
        ) { expected in
            expected.events += [end(5), handler("NSURLErrorDomain -999", 5, 503)]
            expected.setState([
                "error": "NSURLErrorDomain -999", "handlersStillQueued": 0,
                "queueSuspended": false, "inMap": false,
            ])
            expected.final["handlersCalled"] = 1
        },
        TraceRule(
            .statement(35),
            "A form whose request the adapter refuses is a failure, and its file is removed.",
            ["multipart/adapter-throws", "multipart/adapter-throws-disk"]
        ) { expected in
            expected.remove { $0["e"]?.string == "handler" }
            expected.set(
                "encoding completion",
                [
                    "result": "failure", "error": "PlainError(adapter)", "fileExists": nil,
                    "fileFolder": nil, "streamFileURL": nil, "streamingFromDisk": nil,
                ])
            expected.final["A"] = nil
            expected.final["fileExistsAtEnd"] = nil
        },
        TraceRule(
            .statement(33), "A cancelled download has resume data.", ["cancel/download-resume-data"]
        ) { expected in
            expected.set(
                "handler", ["resumeData": "set", "status": 200, "request": true])
            expected.setState([
                "resumeData": "set", "status": 200,
                "description": "GET {base}/bytes/4000?parts=4&ms=100&held=1&k={k} (200)",
            ])
        },
        TraceRule(
            .statement(16), "A challenge without an answer ends with the response that has it.",
            ["auth/none"]
        ) { expected in
            expected.events += [end(2), handler(.absent, 2, 401)]
            expected.setState([
                "handlersStillQueued": 0, "inMap": false, "queueSuspended": false,
                "taskState": "completed", "status": 401, "dataCount": 2,
                "description": "GET {base}/auth/u/p?k={k} (401)",
            ])
            expected.final["handlersCalled"] = 1
            expected.final["requestsInMap"] = 0
        },
        TraceRule(
            .statement(16), "A credential that is refused ends with the response that refuses it.",
            ["auth/bad"]
        ) { expected in
            expected.end(with: 2)
            expected.set("handler", ["error": .absent])
            expected.setState(["error": .absent])
        },
        TraceRule(
            .statement(20), "A redirect with 302 drops the body with its content type.",
            ["redirect/post-302"]
        ) { expected in
            expected.end(with: 98)
            let seen =
                #"{"Content-Type": null, "body": "", "bodyCount": 0, "#
                + #""fnv1a64": "cbf29ce484222325", "method": "GET"}"#
            expected.set("handler", ["value": .string(seen)])
            let saw = (expected.final["serverSaw"]?.elements ?? []).enumerated().map {
                $0.offset == 0 ? $0.element : $0.element.setting(["Content-Type": nil])
            }
            expected.final["serverSaw"] = .array(saw)
        },
    ]
}
