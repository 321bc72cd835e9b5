import TestSupport

@testable import OperationNetworking

/// What reading a stream to its end gave.
struct ReadBody {
    var bytes = Data()
    /// What each read returned, the last one included.
    var sizes: [Int] = []

    var text: String { String(decoding: bytes, as: UTF8.self) }
    var isComplete: Bool { sizes.last == 0 }
}

/// Opens a stream, reads it in steps of these sizes over and over, and closes it.
///
/// - Parameter between: called after each read, with the bytes read so far.
func readAll(
    _ stream: InputStream, sizes: [Int] = [65_536], between: (Int) -> Void = { _ in }
) -> ReadBody {
    var body = ReadBody()
    stream.open()
    defer { stream.close() }
    var buffer = [UInt8](repeating: 0, count: sizes.max() ?? 1)
    while true {
        let count = stream.read(&buffer, maxLength: sizes[body.sizes.count % sizes.count])
        body.sizes.append(count)
        guard count > 0 else { return body }
        body.bytes.append(contentsOf: buffer[..<count])
        between(body.bytes.count)
    }
}

/// A stream of the parts that the block appends, with the boundary `B`.
func bodyStream(
    clock: @escaping @Sendable () -> UInt64 = { 1 }, pacing: MultipartPacing = .unlimited,
    _ parts: [HTTPBodyPart]
) throws -> MultipartBodyStream {
    try MultipartBodyStream(
        parts, boundary: MultipartBoundary(text: "B"), pacing: pacing, clock: clock)
}

func dataPart(_ text: String, name: String = "a") throws -> HTTPBodyPart {
    HTTPBodyPart(headers: try PartHeaders(name: name), body: .data(Data(text.utf8)))
}

func filePart(_ url: URL, name: String = "f") throws -> HTTPBodyPart {
    HTTPBodyPart(headers: try PartHeaders(name: name), body: .file(try FilePart(url)))
}

func streamPart(_ stream: InputStream, length: Int64) throws -> HTTPBodyPart {
    HTTPBodyPart(
        headers: try PartHeaders(name: "s"), body: .stream(StreamPart(stream, length: length)))
}

/// The request that a block's parts make.
func multipartRequest(
    parameters: [String: Any]? = nil, encoding: String.Encoding = .utf8,
    _ parts: ((any MultipartFormData) -> Void)? = nil,
    boundaries: () -> MultipartBoundary = MultipartBoundary.random
) throws -> URLRequest {
    let serializer = HTTPRequestSerializer()
    serializer.stringEncoding = encoding
    let request = try serializer.request(
        method: "POST", urlString: "http://127.0.0.1/", parameters: nil)
    return try serializer.current.withParts(request, parameters, parts, boundaries: boundaries)
}

/// The number of descriptors this process has open on a file.
func openDescriptors(of file: URL) -> Int {
    let folder = "/proc/self/fd"
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.count {
        (try? FileManager.default.destinationOfSymbolicLink(atPath: folder + "/" + $0))
            == file.resolvingSymlinksInPath().path
    }
}

extension SeededNumbers {
    /// Bytes with many line breaks and hyphens among them.
    mutating func bytes(_ count: Int) -> Data {
        let likely = Array("\r\n--B".utf8)
        return Data(
            (0..<count).map { _ in
                Bool.random(using: &self)
                    ? likely.randomElement(using: &self) ?? 0
                    : UInt8.random(in: 0...255, using: &self)
            })
    }
}
