import CLinux
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// Serializes bodies as the original's serializers do.
///
/// An error that came before is passed on. Except for `decoded` and `file`, a response with 204 or 205 succeeds
/// without reading the body.
enum ResponseSerialization {
    private static let emptyStatusCodes: Set<Int> = [204, 205]

    static func data(
        _ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?
    ) -> Result<Data> {
        serialized(response, data, error, empty: Data()) { $0 }
    }

    /// - Parameter encoding: in place of the response's charset, or ISO Latin-1 if it names none.
    static func string(
        _ encoding: String.Encoding?, _ response: HTTPURLResponse?, _ data: Data?,
        _ error: (any Error)?
    ) -> Result<String> {
        serialized(response, data, error, empty: "") { data in
            let actual = encoding ?? Self.encoding(of: response) ?? .isoLatin1
            guard let text = TextEncoding.string(data, actual) else {
                throw failure(.stringSerializationFailed(encoding: actual))
            }
            return text
        }
    }

    static func json(
        _ options: JSONSerialization.ReadingOptions, _ response: HTTPURLResponse?, _ data: Data?,
        _ error: (any Error)?
    ) -> Result<Any> {
        object(response, data, error) { data in
            do {
                // Foundation itself would not check the keys of a mutable dictionary.
                let object = try JSONSerialization.jsonObject(
                    with: data, options: options.subtracting(.mutableContainers))
                let isMutable = options.contains(.mutableContainers)
                return isMutable ? try DecodedContainers.checkedMutable(object) : object
            } catch {
                throw failure(.jsonSerializationFailed(error: DescribedError.printable(error)))
            }
        }
    }

    static func propertyList(
        _ options: PropertyListSerialization.ReadOptions, _ response: HTTPURLResponse?,
        _ data: Data?, _ error: (any Error)?
    ) -> Result<Any> {
        object(response, data, error) { data in
            do {
                return try PropertyListBody.object(data, options)
            } catch {
                throw failure(
                    .propertyListSerializationFailed(error: DescribedError.printable(error)))
            }
        }
    }

    /// A value of a type, from JSON; an empty body is an error, also with status 204 or 205.
    static func decoded<Value: Decodable>(
        _ type: Value.Type, _ decoder: JSONDecoder, _ data: Data?, _ error: (any Error)?
    ) -> Result<Value> {
        if let error { return .failure(error) }
        guard let data, !data.isEmpty else { return failed(.inputDataNilOrZeroLength) }
        do {
            return .success(try decoder.decode(type, from: data))
        } catch {
            return failed(.jsonSerializationFailed(error: error))
        }
    }

    /// How many bytes of a file may be read into memory while a request's serializer is called; nil: any number.
    @TaskLocal static var limitOfFile: Int64?

    /// Serializes a downloaded file. A response without a file fails, also one with status 204 (AL-22).
    static func file<Value>(
        _ url: URL?, _ error: (any Error)?, _ serialize: (Data) -> Result<Value>
    ) -> Result<Value> {
        if let error { return .failure(error) }
        guard let url else { return failed(.inputFileNil) }
        guard let size = DownloadedFile.size(of: url) else {
            return failed(.inputFileReadFailed(at: url))
        }
        if let limitOfFile, size > limitOfFile {
            return .failure(LoadLimitError(.bodyInMemory, limitOfFile).urlError(url))
        }
        guard let data = try? Data(contentsOf: url) else {
            return failed(.inputFileReadFailed(at: url))
        }
        return serialize(data)
    }

    // MARK: - What they have in common

    private typealias Reason = AFError.ResponseSerializationFailureReason

    private static func failure(_ reason: Reason) -> AFError {
        .responseSerializationFailed(reason: reason)
    }

    private static func failed<Value>(_ reason: Reason) -> Result<Value> {
        .failure(failure(reason))
    }

    private static func serialized<Value>(
        _ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?, empty: Value,
        missing: Reason = .inputDataNil, _ serialize: (Data) throws -> Value
    ) -> Result<Value> {
        if let error { return .failure(error) }
        if let response, emptyStatusCodes.contains(response.statusCode) { return .success(empty) }
        guard let data else { return failed(missing) }
        return Result { try serialize(data) }
    }

    private static func object(
        _ response: HTTPURLResponse?, _ data: Data?, _ error: (any Error)?,
        _ serialize: (Data) throws -> Any
    ) -> Result<Any> {
        serialized(
            response, data.flatMap { $0.isEmpty ? nil : $0 }, error, empty: NSNull(),
            missing: .inputDataNilOrZeroLength, serialize)
    }

    /// The encoding of the charset that a response names. An unknown charset gives Foundation's number for
    /// that, with which no text can be decoded.
    private static func encoding(of response: HTTPURLResponse?) -> String.Encoding? {
        guard let name = response?.textEncodingName else { return nil }
        return TextEncoding.encoding(named: name)
            ?? String.Encoding(rawValue: UInt(UInt32.max))
    }
}

enum DownloadedFile {
    /// Its size in bytes; nil if it is not there, cannot be read, or is no regular file.
    static func size(of url: URL) -> Int64? {
        guard url.isFileURL, !url.path.utf8.contains(0) else { return nil }
        // A pipe instead of the file must not block the thread.
        let descriptor = open(url.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        let facts = cfile_status_of(descriptor)
        return facts.is_regular == 0 ? nil : Int64(facts.size)
    }
}
