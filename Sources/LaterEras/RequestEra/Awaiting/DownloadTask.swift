public import Foundation
import FoundationNetworking

/// What waits for a serialized response of a download; Alamofire 5's type.
///
/// Otherwise it is like ``DataTask``.
public struct DownloadTask<Value: Sendable>: Sendable {
    private let request: DownloadRequest
    private let outcome: SharedOutcome<DownloadResponse<Value>>
    private let cancels: Bool

    init<Serializer: DownloadResponseSerializerProtocol<Value>>(
        _ request: DownloadRequest, _ serializer: Serializer, _ cancels: Bool
    ) {
        let outcome = SharedOutcome<DownloadResponse<Value>>()
        self.request = request
        self.outcome = outcome
        self.cancels = cancels
        request.addHandler {
            outcome.give(request.serialized(by: serializer))
        }
    }

    /// Waits for the response. Where the task is cancelled, its result is `URLError.cancelled`, at once.
    public var response: DownloadResponse<Value> {
        get async {
            do {
                return try await request.wait(for: outcome, cancels: cancels)
            } catch {
                return DownloadResponse(
                    request: request.request, response: request.response, temporaryURL: nil,
                    destinationURL: nil, resumeData: request.resumeData, result: .failure(error))
            }
        }
    }

    /// Waits for the value or the first error.
    public var result: Result<Value> {
        get async { await response.result }
    }

    /// Waits for the value.
    ///
    /// - Throws: as `DataTask.value`.
    public var value: Value {
        get async throws { try await result.unwrap() }
    }

    /// Resumes the request.
    public func resume() { request.resume() }

    /// Suspends the request.
    public func suspend() { request.suspend() }

    /// Cancels the request, and makes resume data.
    public func cancel() { request.cancel() }
}

extension DownloadRequest {
    /// What waits for the file: at its destination, or where it was written, in the temporary folder. The program
    /// moves or removes it.
    ///
    /// - Parameter automaticallyCancelling: whether the request is cancelled with a task that waits;
    ///   the wait ends at once either way.
    public func serializingDownloadedFileURL(
        automaticallyCancelling: Bool = true
    ) -> DownloadTask<URL> {
        serializingDownload(
            using: DownloadResponseSerializer { _, _, file, error in
                if let error { return .failure(error) }
                guard let file else {
                    return .failure(AFError.responseSerializationFailed(reason: .inputFileNil))
                }
                return .success(file)
            }, automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for the file's bytes.
    public func serializingData(automaticallyCancelling: Bool = true) -> DownloadTask<Data> {
        serializingDownload(
            using: DownloadRequest.dataResponseSerializer(),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for the file's text.
    ///
    /// - Parameter encoding: in place of the response's charset, or ISO Latin-1 if it names none.
    public func serializingString(
        automaticallyCancelling: Bool = true, encoding: String.Encoding? = nil
    ) -> DownloadTask<String> {
        serializingDownload(
            using: DownloadRequest.stringResponseSerializer(encoding: encoding),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for the file as a value of a type, from JSON.
    public func serializingDecodable<Value: Decodable & Sendable>(
        _ type: Value.Type = Value.self, automaticallyCancelling: Bool = true,
        decoder: JSONDecoder = JSONDecoder()
    ) -> DownloadTask<Value> {
        serializingDownload(
            using: DownloadResponseSerializer(
                readingFor: DataRequest.decodingSerializer(type, decoder)),
            automaticallyCancelling: automaticallyCancelling)
    }

    /// What waits for what a serializer makes of the file.
    public func serializingDownload<Serializer: DownloadResponseSerializerProtocol>(
        using serializer: Serializer, automaticallyCancelling: Bool = true
    ) -> DownloadTask<Serializer.SerializedObject> where Serializer.SerializedObject: Sendable {
        DownloadTask(self, serializer, automaticallyCancelling)
    }
}
