import Foundation
import FoundationNetworking
import Testing

@testable import eras

@Suite("Retries", .timeLimit(.minutes(2)))
struct RetryPolicyTests {
    @Test func `pauses double up to eight seconds and end with the retries`() {
        let policy = RetryPolicy(retries: 7, firstPause: 0.25)
        let pauses = (1...8).map { policy.pause(after: $0, error: URLError(.timedOut)) }
        #expect(pauses == [0.25, 0.5, 1, 2, 4, 8, 8, nil])
    }

    @Test func `only what may pass is tried again`() {
        let policy = RetryPolicy(retries: 1)
        let passing: [any Error] = [
            URLError(.networkConnectionLost), URLError(.cannotConnectToHost),
            DownloadError.status(503), DownloadError.status(429), DownloadError.encodedPart,
        ]
        let lasting: [any Error] = [
            URLError(.cancelled), URLError(.serverCertificateUntrusted), DownloadError.status(404),
            DownloadError.refused(""), DiskError(action: "write", path: "", code: ENOSPC),
        ]
        #expect(passing.allSatisfy { policy.pause(after: 1, error: $0) != nil })
        #expect(lasting.allSatisfy { policy.pause(after: 1, error: $0) == nil })
    }
}
