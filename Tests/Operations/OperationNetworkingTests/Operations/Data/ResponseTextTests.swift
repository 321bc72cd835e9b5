import TestSupport

@testable import OperationNetworking

/// A body in a declared charset and what it says.
struct TextSample: Sendable, CustomTestStringConvertible {
    let contentType: String
    let bytes: [UInt8]
    let text: String?
    let encoding: String.Encoding?

    var testDescription: String { contentType }

    /// - Parameter encoding: nil for one that has no Swift name.
    init(
        _ charset: String?, _ bytes: [UInt8], _ text: String?, _ encoding: String.Encoding? = nil
    ) {
        contentType = "text/plain" + (charset.map { "; charset=\($0)" } ?? "")
        self.bytes = bytes
        self.text = text
        self.encoding = encoding
    }

    static let latin: [UInt8] = [0x47, 0x72, 0xFC, 0xDF, 0x65]
    static let chinese: [UInt8] = [0xD6, 0xD0, 0xCE, 0xC4]
    static let utf8 = Array("Grüße, 日本 €".utf8)

    static let readable: [TextSample] = [
        .init("utf-8", utf8, "Grüße, 日本 €", .utf8),
        .init("UTF-8", utf8, "Grüße, 日本 €", .utf8),
        .init(nil, utf8, "Grüße, 日本 €", .utf8),
        .init("x-nobody-knows", utf8, "Grüße, 日本 €", .utf8),
        .init("iso-8859-1", latin, "Grüße", .isoLatin1),
        .init("\"ISO-8859-1\"", latin, "Grüße", .isoLatin1),
        .init("\"utf-8\"", utf8, "Grüße, 日本 €", .utf8),
        .init("iso-8859-2", [0xB1, 0xE6, 0xEA], "ąćę", .isoLatin2),
        .init("windows-1252", [0x80, 0x93, 0x61, 0x94], "€“a”", .windowsCP1252),
        .init("windows-1251", [0xCF, 0xF0], "Пр", .windowsCP1251),
        .init("us-ascii", Array("plain".utf8), "plain", .ascii),
        .init("shift_jis", [0x93, 0xFA, 0x96, 0x7B], "日本"),
        .init("euc-jp", [0xC6, 0xFC, 0xCB, 0xDC], "日本", .japaneseEUC),
        .init("gb18030", chinese + [0x95, 0x32, 0x82, 0x36], "中文\u{20000}"),
        .init("gbk", chinese, "中文"),
        .init("gb2312", chinese, "中文"),
        .init("big5", [0xA4, 0xA4, 0xA4, 0xE5], "中文"),
        .init("euc-kr", [0xC7, 0xD1, 0xB1, 0xB9], "한국"),
        .init("utf-16", [0xFE, 0xFF, 0x00, 0x41, 0x00, 0xE9, 0x65, 0xE5], "Aé日", .utf16),
        .init("utf-16", [0xFF, 0xFE, 0x41, 0x00, 0xE9, 0x00, 0xE5, 0x65], "Aé日", .utf16),
        .init("utf-16be", [0x00, 0x41, 0x00, 0xE9], "Aé", .utf16BigEndian),
        .init("utf-16le", [0x41, 0x00, 0xE9, 0x00], "Aé", .utf16LittleEndian),
    ]

    static let unreadable: [TextSample] = [
        .init("utf-8", [0x61, 0xFF, 0xFE], nil),
        .init(nil, latin, nil),
        .init("us-ascii", [0x61, 0xE9], nil),
        .init("euc-jp", [0xC6, 0xFC, 0xFF], nil),
        .init("shift_jis", [0x93], nil),
        .init("x-nobody-knows", latin, nil),
    ]
}

@Suite("Data and text of a response", .timeLimit(.minutes(5)))
struct ResponseTextTests {
    private let world = TestWorld()

    private func operation(for sample: TextSample) -> URLConnectionOperation {
        world.server.add("/sample") { _ in
            .data(Data(sample.bytes), contentType: sample.contentType)
        }
        return world.plainOperation("/sample")
    }

    @Test(
        arguments: TextSample.readable)
    func `text is read by its declared charset, UTF-8 by default (RS-1, RS-2)`(sample: TextSample)
        async
    {
        let operation = operation(for: sample)
        await operation.run()
        #expect(operation.responseData == Data(sample.bytes))
        #expect(operation.responseString == sample.text)
        #expect(operation.responseString == sample.text, "the second reading")
        if let encoding = sample.encoding {
            #expect(operation.responseStringEncoding == encoding)
        } else {
            #expect(operation.responseStringEncoding != nil)
            #expect(operation.responseStringEncoding != .utf8)
        }
    }

    @Test(
        arguments: TextSample.unreadable)
    func `bytes that are not in the charset are no text; the data stays (RS-2)`(sample: TextSample)
        async
    {
        let operation = operation(for: sample)
        await operation.run()
        #expect(operation.error == nil)
        #expect(operation.responseData == Data(sample.bytes))
        #expect(operation.responseString == nil)
        #expect(operation.responseString == nil, "the second reading")
    }

    @Test(
        arguments: ["/bytes/0", "/204", "/empty-chunked"])
    func `an empty body is empty data and an empty text, not nil (ST-7)`(path: String) async {
        world.server.add("/empty-chunked") { _ in .chunked([]) }
        let operation = world.plainOperation(path)
        await operation.run()
        #expect(operation.error == nil)
        #expect(operation.responseData == Data())
        #expect(operation.responseString?.isEmpty == true)
    }

    @Test(arguments: TextSample.readable)
    func `an empty body is an empty text in every charset`(sample: TextSample) async {
        let type = sample.contentType
        world.server.add("/none") { _ in .data(Data(), contentType: type) }
        let operation = world.plainOperation("/none")
        await operation.run()
        #expect(operation.responseData == Data())
        #expect(operation.responseString?.isEmpty == true)
    }

    @Test
    func `before a response there is no data, text or encoding`() async {
        let operation = world.plainOperation("/gate/before")
        func expectNothing() {
            #expect(operation.response == nil)
            #expect(operation.responseData == nil)
            #expect(operation.responseString == nil)
            #expect(operation.responseStringEncoding == nil)
            #expect(operation.totalBytesRead == 0)
        }
        expectNothing()
        let end = operation.endSignal()
        operation.start()
        #expect(await world.reached("before"))
        expectNothing()
        world.server.release("before")
        await end.wait()
        #expect(operation.responseString == "passed before")
    }

    @Test
    func `after a failure the response stays and data is nil (ST-9)`() async {
        let half = ScriptedResponse.head(200, [("Content-Length", "100")]) + Data("half".utf8)
        world.server.add("/cut") { _ in ScriptedResponse([.bytes(half), .close]) }
        let operation = world.plainOperation("/cut")
        await operation.run()
        #expect(operation.errorCode == .networkConnectionLost)
        #expect((operation.response as? HTTPURLResponse)?.statusCode == 200)
        #expect(operation.responseStringEncoding == .utf8)
        #expect(operation.responseData == nil)
        #expect(operation.responseString == nil)
        #expect(operation.totalBytesRead == 4)
    }
}
