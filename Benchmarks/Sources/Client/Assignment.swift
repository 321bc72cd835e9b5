import CMeasure
import Foundation

/// What to do, as `bench` says it; the C loop takes the same words.
struct Assignment: Sendable {
    enum Kind: String, CaseIterable {
        /// Small requests, one after the other in each of `atOnce` places, for some seconds.
        case get
        /// `count` requests handed over at once, while nothing runs yet.
        case enqueue
        /// One large body.
        case down, up
        /// `count` requests that nobody answers, taken back.
        case cancel
        /// One request whose answer takes its time, and one right after the process began.
        case wait, cold
        /// Nothing, after a few requests.
        case idle
        /// `count` requests, each on a new connection and beside one of the curl command: how far the
        /// times that both tell are apart.
        case times
        /// `count` tasks that wait for answers, cancelled one by one: when each socket is closed.
        case close
        /// One request to a server that asks for Digest, which counts what it sees.
        case digest
    }

    var kind = Kind.get
    var url: URL
    /// A file: where a body goes, or where it comes from.
    var path: String?
    var atOnce = 1
    var count = 1
    /// The port of the peer that counts who waits there.
    var peer = 0
    var seconds = 1.0
    var warmUp = 0.1
    /// A new connection for each request.
    var closes = false
    /// The body is JSON, and is parsed.
    var isJSON = false
    /// Bytes to post; 0: a GET.
    var bodyLength = 0
    /// Every setting as it comes.
    var isPlain = false
    /// Main runs a run loop, as an application's does; otherwise Dispatch's own loop.
    var runsMainLoop = false

    init?(_ arguments: ArraySlice<String>) {
        guard let kind = arguments.first.flatMap(Kind.init) else { return nil }
        var values: [String: String] = [:]
        for argument in arguments.dropFirst() {
            let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
            values[parts[0]] = parts.count == 2 ? parts[1] : "1"
        }
        guard let url = URL(string: values["url"] ?? "") else { return nil }
        self.kind = kind
        self.url = url
        path = values["path"]
        atOnce = values["at-once"].flatMap(Int.init) ?? atOnce
        count = values["count"].flatMap(Int.init) ?? count
        peer = values["peer"].flatMap(Int.init) ?? peer
        seconds = values["seconds"].flatMap(Double.init) ?? seconds
        warmUp = values["warm-up"].flatMap(Double.init) ?? warmUp
        closes = values["closes"] == "1"
        isJSON = values["json"] == "1"
        bodyLength = values["body"].flatMap(Int.init) ?? bodyLength
        isPlain = values["plain"] == "1"
        runsMainLoop = values["main"] == "loop"
    }

    /// Runs a rival on it.
    func run(_ rival: any Rival, into outcome: inout Outcome) {
        switch kind {
        case .get: rival.runMany(self, into: &outcome)
        case .enqueue: Enqueuing.run(rival, self, into: &outcome)
        case .down: LargeBody.down(rival, self, into: &outcome)
        case .up: LargeBody.up(rival, self, into: &outcome)
        case .cancel: Cancelling.run(rival, self, into: &outcome)
        case .wait, .cold: One.run(rival, self, into: &outcome)
        case .times: TimesBesideCurl.run(self, into: &outcome)
        case .close: ClosingSockets.run(self, into: &outcome)
        case .digest: DigestRequests.run(self, into: &outcome)
        case .idle: Idling.run(rival, self, into: &outcome)
        }
    }
}
