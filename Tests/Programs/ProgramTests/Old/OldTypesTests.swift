import AFNetworking
@testable import OldAFNetworking
import TestSupport

@Suite("Old sources: old types and blocks left out", .timeLimit(.minutes(5)))
struct OldTypesTests {
    @Test
    func `bridged sets and numbers set the same as the new types`() async throws {
        let world = TestWorld(programs: .standard)
        world.server.add("/note") { _ in
            .data(Data([0xE9]), contentType: "text/x-note; charset=iso-8859-1")
        }
        let manager = bridgedManager(world.baseURL)
        #expect(manager.requestSerializer.stringEncoding == .isoLatin1)
        let methods: Set<String> = manager.requestSerializer.httpMethodsEncodingParametersInURI
        #expect(methods == ["GET", "POST"])
        let types: Set<String>? = manager.responseSerializer.acceptableContentTypes
        #expect(types == ["text/plain", "text/x-note", "text/html"])
        let text: String? = await answer { finish in
            manager.post(
                "note", parameters: ["a": 1],
                success: { operation, _ in
                    finish(textOfBody(operation))
                },
                failure: { _, error in
                    finish("\(error)")
                })
        }
        #expect(text == "é")
        #expect(world.server.requests.first?.target == "/note?a=1")
    }

    @available(*, deprecated)
    @Test
    func `what was set in a new type is read in the old one, and nil stays nil`() {
        let serializer = AFHTTPResponseSerializer()
        serializer.acceptableContentTypes = ["a/b"]
        #expect(serializer.acceptableContentTypes as Set<AnyHashable>? == ["a/b"])
        serializer.acceptableContentTypes = nil as Set<AnyHashable>?
        #expect(serializer.acceptableContentTypes == nil)
        serializer.stringEncoding = String.Encoding.utf16.rawValue
        #expect(serializer.stringEncoding as UInt == String.Encoding.utf16.rawValue)
        let operation = AFHTTPRequestOperation(request: URLRequest(url: URL(fileURLWithPath: "/")))
        #expect(operation.responseStringEncoding as UInt == 0)
        operation.runLoopModes = [RunLoop.Mode.common.rawValue, "own"] as Set<AnyHashable>
        #expect(operation.runLoopModes == [.common, RunLoop.Mode("own")])
        operation.runLoopModes = Set<AnyHashable>([RunLoop.Mode.default])
        #expect(operation.runLoopModes as Set<AnyHashable> == [RunLoop.Mode.default.rawValue])
    }

    @available(*, deprecated)
    @Test
    func `pins come as data; what is no certificate pins nothing`() throws {
        let world = TestWorld(programs: .standard)
        let data = try #require(Data(base64Encoded: Self.certificate))
        let file = try world.files.write("pin.cer", data)
        let policy = policyPinned(to: file.path)
        let pins: [Certificate] = policy.pinnedCertificates
        #expect(pins.map(\.der) == [data])
        let asBefore: [Any]? = policy.pinnedCertificates
        #expect(asBefore as? [Data] == [data])
        let trust = ServerTrust(host: "pin", certificates: pins)
        policy.pinnedCertificates = [Data("no certificate".utf8)] as [Any]
        #expect(policy.pinnedCertificates == [])
        #expect(!policy.evaluateServerTrust(trust))
    }

    @available(*, deprecated)
    @Test
    func `pins of 3.x and 4.x come as a set of data`() throws {
        let world = TestWorld(programs: .standard)
        let data = try #require(Data(base64Encoded: Self.certificate))
        let file = try world.files.write("pin.cer", data)
        let policy = policyWithSet(of: [data])
        let pins: [Certificate] = policy.pinnedCertificates
        #expect(policy.pinningMode == .publicKey)
        #expect(pins.map(\.der) == [data])
        #expect(policy.allowInvalidCertificates == false && policy.validatesDomainName)
        let trust = ServerTrust(host: "pin", certificates: pins)
        let broken = policyWithSet(of: [Data("no certificate".utf8)])
        #expect(broken.pinningMode == .publicKey)
        #expect(!broken.evaluateServerTrust(trust))
        let bundle = try #require(Bundle(path: file.deletingLastPathComponent().path))
        #expect(AFSecurityPolicy.certificates(in: bundle) as Set<Data> == [data])
    }

    @available(*, deprecated)
    @Test
    func `what Foundation on Linux lacks is there`() {
        let (text, fields) = cocoaTexts(name: "x", comment: nil)
        #expect(text == "name=x")
        #expect(fields == ["name": "x"])
        #expect(NSURLSessionDownloadTaskResumeData == "NSURLSessionDownloadTaskResumeData")
        #expect(resumeDataOf(NSError(domain: "d", code: 1)) == nil)
    }

    @available(*, deprecated)
    @Test
    func `a credential made of a trust keeps it`() throws {
        let der = try #require(Data(base64Encoded: Self.certificate))
        let trust = ServerTrust(host: "pin", certificates: [try Certificate(der: der)])
        let credential = URLCredential(trust: trust)
        #expect((credential as? PeerTrustCredential)?.peerTrust === trust)
    }

    @Test
    func `the last block can be left out of every old call`() async throws {
        let world = TestWorld(programs: .standard)
        let beacon = Beacon(world.baseURL)
        let heard = Heard(expected: 6)
        let lines: [String] = await answer { finish in
            beacon.send("x") { heard.add($0, then: finish) }
        }
        #expect(lines.sorted() == ["batch of 2", "batch of 2", "get", "made", "post", "single"])
    }

    /// A certificate that signed itself, for a hundred years.
    private static let certificate = """
        MIIBczCCARmgAwIBAgIUe4SiEIxFJMyqyce8Q8CV5qWvrUMwCgYIKoZIzj0EAwIwDjEMMAoGA1UE\
        AwwDcGluMCAXDTI2MTEyMTE2MzEyN1oYDzIxMjYxMDI4MTYzMTI3WjAOMQwwCgYDVQQDDANwaW4w\
        WTATBgcqhkjOPQIBBggqhkjOPQMBBwNCAATEMlhEEz2sti/gZinACFVd1mO2TGMhRlx/PZbo0bYQ\
        gO9jNtrmiRhnXtheQLNaf9G7/yZ11Qw/cXdJSr8UUUWuo1MwUTAdBgNVHQ4EFgQUM1U3XbdXEIA1\
        L5jpP3sI4enpwo8wHwYDVR0jBBgwFoAUM1U3XbdXEIA1L5jpP3sI4enpwo8wDwYDVR0TAQH/BAUw\
        AwEB/zAKBggqhkjOPQQDAgNIADBFAiEAlJFdC0Mf7LNRDbS1WGPyod7u+MEts1hRL9AEUnMP4n4C\
        IFOWM7QWfJwPLw2qfwhL3iz9idhUby6BE/e9wij4PjRd
        """
}

/// Collects lines, all of which come on main, until there are enough.
final class Heard {
    private var lines: [String] = []
    private let expected: Int

    init(expected: Int) { self.expected = expected }

    func add(_ line: String, then finish: ([String]) -> Void) {
        lines.append(line)
        if lines.count == expected { finish(lines) }
    }
}
