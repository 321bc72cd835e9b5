public import Foundation
public import OperationNetworking

extension MultipartFormData {
    /// Appends a file under its own name; its extension decides its type (MP-9).
    @available(*, deprecated, renamed: "appendPart(fileURL:name:)")
    public func appendPart(withFileURL fileURL: URL, name: String) throws {
        try appendPart(fileURL: fileURL, name: name)
    }

    /// Appends a file.
    @available(*, deprecated, renamed: "appendPart(fileURL:name:fileName:mimeType:)")
    public func appendPart(
        withFileURL fileURL: URL, name: String, fileName: String, mimeType: String
    ) throws {
        try appendPart(fileURL: fileURL, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends `length` bytes of a stream; without a stream nothing is appended.
    @available(*, deprecated, renamed: "appendPart(inputStream:name:fileName:length:mimeType:)")
    public func appendPart(
        with inputStream: InputStream?, name: String, fileName: String, length: Int64,
        mimeType: String
    ) {
        guard let inputStream else { return }
        appendPart(
            inputStream: inputStream, name: name, fileName: fileName, length: length,
            mimeType: mimeType)
    }

    /// Appends bytes as a file.
    @available(*, deprecated, renamed: "appendPart(fileData:name:fileName:mimeType:)")
    public func appendPart(
        withFileData data: Data, name: String, fileName: String, mimeType: String
    ) {
        appendPart(fileData: data, name: name, fileName: fileName, mimeType: mimeType)
    }

    /// Appends bytes as a field.
    @available(*, deprecated, renamed: "appendPart(formData:name:)")
    public func appendPart(withForm data: Data, name: String) {
        appendPart(formData: data, name: name)
    }

    /// Appends bytes under these header fields; keys and values become text.
    @available(*, deprecated, renamed: "appendPart(headers:body:)")
    public func appendPart(withHeaders headers: [AnyHashable: Any]?, body: Data) {
        let named = headers.map {
            Dictionary(
                $0.map { ("\($0.key.base)", "\($0.value)") }, uniquingKeysWith: { $1 })
        }
        appendPart(headers: named, body: body)
    }

    /// Sends at most `packetSize` bytes at once, with `delay` seconds between two packets.
    @available(*, deprecated, renamed: "throttleBandwidth(packetSize:delay:)")
    public func throttleBandwidth(withPacketSize packetSize: UInt, delay: TimeInterval) {
        throttleBandwidth(packetSize: Int(clamping: packetSize), delay: delay)
    }
}

/// Bytes a packet that suit a 3G network.
@available(*, deprecated, message: "write 16384")
public let kAFUploadStream3GSuggestedPacketSize: UInt = 16_384

/// Seconds between packets that suit a 3G network.
@available(*, deprecated, message: "write 0.2")
public let kAFUploadStream3GSuggestedDelay: TimeInterval = 0.2
