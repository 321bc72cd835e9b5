import Foundation
import RequestEra
import Testing

/// `MultipartFormDataTests` of 4.9.1. The original's pictures are files of bytes here.
@Suite("MultipartFormDataTests", .timeLimit(.minutes(1)))
struct OriginalMultipartFormDataTests {
    private let room = FormFolder()
    private let form = MultipartFormData()

    /// A part as it is appended, and as it must be in the body.
    private struct Part {
        let body: Data
        let header: String
        let append: (MultipartFormData) -> Void
    }

    private func dataPart(_ name: String, _ text: String, type: String? = nil) -> Part {
        let body = Data(text.utf8)
        let fields = type.map { "Content-Type: \($0)\r\n" } ?? ""
        let header = "Content-Disposition: form-data; name=\"\(name)\"\r\n" + fields
        return Part(body: body, header: header) { form in
            guard let type else { return form.append(body, withName: name) }
            form.append(body, withName: name, mimeType: type)
        }
    }

    private func header(_ name: String, _ file: String, _ type: String) -> String {
        "Content-Disposition: form-data; name=\"\(name)\"; filename=\"\(file)\"\r\n"
            + "Content-Type: \(type)\r\n"
    }

    private func filePart(_ name: String, _ size: Int) throws -> Part {
        let body = Data((0..<size).map { UInt8($0 % 251) })
        let file = try room.file("\(name).jpg", body)
        return Part(body: body, header: header(name, "\(name).jpg", "image/jpeg")) {
            $0.append(file, withName: name)
        }
    }

    private func streamPart(_ name: String, _ size: Int) throws -> Part {
        let body = Data((0..<size).map { UInt8($0 % 250) })
        let file = try room.file("\(name).png", body)
        let stream = try #require(InputStream(url: file))
        return Part(body: body, header: header(name, "\(name).png", "image/png")) {
            $0.append(
                stream, withLength: UInt64(size), name: name, fileName: "\(name).png",
                mimeType: "image/png")
        }
    }

    private func expected(_ parts: [Part]) -> Data {
        var body = Data()
        for (index, part) in parts.enumerated() {
            body += Data("\(index == 0 ? "" : "\r\n")--\(form.boundary)\r\n".utf8)
            body += Data((part.header + "\r\n").utf8) + part.body
        }
        return body + Data("\r\n--\(form.boundary)--\r\n".utf8)
    }

    private func checkEncoding(_ parts: [Part]) throws {
        parts.forEach { $0.append(form) }
        #expect(try form.encode() == expected(parts))
    }

    private func checkWriting(_ parts: [Part]) throws {
        parts.forEach { $0.append(form) }
        let file = room.url.appendingPathComponent("form")
        try form.writeEncodedData(to: file)
        #expect(try Data(contentsOf: file) == expected(parts))
    }

    private var dataParts: [Part] {
        [
            dataPart("french", "français"), dataPart("japanese", "日本語", type: "text/plain"),
            dataPart("emoji", "😃👍🏻🍻🎉", type: "text/plain"),
        ]
    }

    // MARK: Properties

    @Test func `ContentTypeContainsBoundary`() {
        #expect(form.contentType == "multipart/form-data; boundary=\(form.boundary)")
    }

    @Test func `ContentLengthMatchesTotalBodyPartSize`() {
        dataParts.forEach { $0.append(form) }
        #expect(form.contentLength == UInt64(dataParts.reduce(0) { $0 + $1.body.count }))
    }

    // MARK: Encoding

    @Test func `EncodingDataBodyPart`() throws { try checkEncoding([dataPart("data", "Lorem")]) }

    @Test func `EncodingMultipleDataBodyParts`() throws { try checkEncoding(dataParts) }

    @Test func `EncodingFileBodyPart`() throws { try checkEncoding([filePart("unicorn", 5_000)]) }

    @Test func `EncodingMultipleFileBodyParts`() throws {
        try checkEncoding([filePart("unicorn", 5_000), filePart("rainbow", 70_000)])
    }

    @Test func `EncodingStreamBodyPart`() throws {
        try checkEncoding([streamPart("unicorn", 70_000)])
    }

    @Test func `EncodingMultipleStreamBodyParts`() throws {
        try checkEncoding([streamPart("unicorn", 5_000), streamPart("rainbow", 70_000)])
    }

    @Test func `EncodingMultipleBodyPartsWithVaryingTypes`() throws {
        try checkEncoding([
            dataPart("lorem", "Lorem"), filePart("unicorn", 5_000), streamPart("rainbow", 70_000),
        ])
    }

    // MARK: Writing

    @Test func `WritingEncodedDataBodyPartToDisk`() throws {
        try checkWriting([dataPart("data", "Lorem")])
    }

    @Test func `WritingMultipleEncodedDataBodyPartsToDisk`() throws { try checkWriting(dataParts) }

    @Test func `WritingEncodedFileBodyPartToDisk`() throws {
        try checkWriting([filePart("unicorn", 5_000)])
    }

    @Test func `WritingMultipleEncodedFileBodyPartsToDisk`() throws {
        try checkWriting([filePart("unicorn", 5_000), filePart("rainbow", 70_000)])
    }

    @Test func `WritingEncodedStreamBodyPartToDisk`() throws {
        try checkWriting([streamPart("unicorn", 70_000)])
    }

    @Test func `WritingMultipleEncodedStreamBodyPartsToDisk`() throws {
        try checkWriting([streamPart("unicorn", 5_000), streamPart("rainbow", 70_000)])
    }

    @Test func `WritingMultipleEncodedBodyPartsWithVaryingTypesToDisk`() throws {
        try checkWriting([
            dataPart("lorem", "Lorem"), filePart("unicorn", 5_000), streamPart("rainbow", 70_000),
        ])
    }

    // MARK: Failures

    private func failure(_ body: () throws -> Void) throws -> AFError {
        try #require(throws: AFError.self, performing: body)
    }

    private func encodingText() throws -> String {
        try failure { _ = try form.encode() }.localizedDescription
    }

    @Test func `AppendingFileBodyPartWithInvalidLastPathComponentReturnsError`() throws {
        let url = URL(fileURLWithPath: "")
        form.append(url, withName: "empty_data")
        guard
            case .multipartEncodingFailed(.bodyPartFilenameInvalid(url)) = try failure({
                _ = try form.encode()
            })
        else {
            Issue.record("Another error.")
            return
        }
        let text = "The URL provided does not have a valid filename: \(url.absoluteString)"
        #expect(try encodingText() == text)
    }

    @Test func `AppendingFileBodyPartThatIsNotFileURLReturnsError`() throws {
        let url = try "https://example.com/image.jpg".asURL()
        form.append(url, withName: "empty_data")
        guard
            case .multipartEncodingFailed(.bodyPartURLInvalid(url)) = try failure({
                _ = try form.encode()
            })
        else {
            Issue.record("Another error.")
            return
        }
        #expect(try encodingText() == "The URL provided is not a file URL: \(url)")
    }

    @Test func `AppendingFileBodyPartThatIsNotReachableReturnsError`() throws {
        let url = room.url.appendingPathComponent("does_not_exist.jpg")
        form.append(url, withName: "empty_data")
        guard
            case .multipartEncodingFailed(.bodyPartFileNotReachableWithError(url, _)) = try failure(
                { _ = try form.encode() })
        else {
            Issue.record("Another error.")
            return
        }
    }

    @Test func `AppendingFileBodyPartThatIsDirectoryReturnsError`() throws {
        form.append(
            room.url, withName: "empty_data", fileName: "empty", mimeType: "application/octet")
        guard
            case .multipartEncodingFailed(.bodyPartFileIsDirectory(room.url)) = try failure({
                _ = try form.encode()
            })
        else {
            Issue.record("Another error.")
            return
        }
        #expect(try encodingText() == "The URL provided is a directory: \(room.url)")
    }

    @Test func `WritingEncodedDataToExistingFileURLFails`() throws {
        let file = try room.file("taken", Data("old".utf8))
        form.append(Data("new".utf8), withName: "data")
        guard
            case .multipartEncodingFailed(.outputStreamFileAlreadyExists(file)) = try failure({
                try form.writeEncodedData(to: file)
            })
        else {
            Issue.record("Another error.")
            return
        }
        #expect(try Data(contentsOf: file) == Data("old".utf8))
    }

    @Test func `WritingEncodedDataToBadURLFails`() throws {
        let url = try "/this/is/not/a/valid/url".asURL()
        form.append(Data("new".utf8), withName: "data")
        guard
            case .multipartEncodingFailed(.outputStreamURLInvalid(url)) = try failure({
                try form.writeEncodedData(to: url)
            })
        else {
            Issue.record("Another error.")
            return
        }
    }
}

/// A folder for the files of forms, which goes with the value.
final class FormFolder {
    let url = FileManager.default.temporaryDirectory
        .appendingPathComponent("forms-\(UUID().uuidString)", isDirectory: true)

    init() {
        try? FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func file(_ name: String, _ bytes: Data) throws -> URL {
        let file = url.appendingPathComponent(name)
        try bytes.write(to: file)
        return file
    }
}
