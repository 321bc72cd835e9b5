import TestSupport

@testable import CurlConnection

@Suite("libcurl's codes and errors", .timeLimit(.minutes(5)))
struct CurlCodeTests {
    @Test func `a code has libcurl's sentence`() {
        #expect(CurlCode.ok.text == "No error")
        #expect(!CurlCode.partialFile.text.isEmpty)
        #expect(CurlCode.operationTimedOut.rawValue == 28)
    }

    @Test func `an error without words of its own takes the code's`() {
        #expect(CurlError(.partialFile).message == CurlCode.partialFile.text)
        #expect(CurlError(.partialFile, message: "words").message == "words")
    }

    @Test func `an error is an NSError of libcurl's domain`() {
        let error = CurlError(.partialFile, message: "words", systemError: 104) as NSError
        #expect(error.domain == "libcurl.easy")
        #expect(error.code == 18)
        #expect(error.localizedDescription == "words")
        #expect(error.userInfo["libcurl.systemError"] as? Int == 104)
        let plain = CurlError(.partialFile) as NSError
        #expect(plain.userInfo["libcurl.systemError"] == nil)
    }

    @Test func `libcurl is initialised and new enough for the pre-request callback`() throws {
        #expect(CurlGlobal.isReady)
        let parts = CurlGlobal.version.split(separator: ".").compactMap { Int($0) }
        try #require(parts.count >= 2)
        #expect((parts[0], parts[1]) >= (7, 80))
    }

    @Test func `work inside libcurl runs and may nest`() {
        var depth = 0
        CurlGlobal.whileOpen {
            CurlGlobal.whileOpen { depth += 1 }
            depth += 1
        }
        #expect(depth == 2)
    }
}
