import EventRecorder
import Foundation
import FoundationNetworking
import Locking
import Scheduling

// Forms: encoded on a utility queue, and then uploaded.
extension SessionManager {
    /// Encodes and uploads a form; see `upload(multipartFormData:…)`.
    func uploadForm(
        _ multipartFormData: @escaping @Sendable (MultipartFormData) -> Void,
        _ encodingMemoryThreshold: UInt64, _ urlRequest: any URLRequestConvertible,
        _ queue: DispatchQueue?,
        _ encodingCompletion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        let asked = Swift.Result { try urlRequest.asURLRequest() }
        let work: @Sendable () -> Void = {
            let form = MultipartFormData()
            multipartFormData(form)
            let result: MultipartFormDataEncodingResult
            do {
                var urlRequest = try asked.get()
                urlRequest.setValue(form.contentType, forHTTPHeaderField: "Content-Type")
                result =
                    form.contentLength < encodingMemoryThreshold
                    ? try self.uploadFromMemory(form, urlRequest)
                    : try self.uploadFromDisk(form, urlRequest)
            } catch {
                result = .failure(error)
            }
            Self.report(result, on: queue, encodingCompletion)
        }
        if !WorkerPool.utility.perform(work) { work() }
    }

    static func report(
        _ result: MultipartFormDataEncodingResult, on queue: DispatchQueue?,
        _ completion: (@Sendable (MultipartFormDataEncodingResult) -> Void)?
    ) {
        guard let completion else { return }
        (queue ?? .main).recordedAsync { completion(result) }
    }

    private func uploadFromMemory(
        _ form: MultipartFormData, _ urlRequest: URLRequest
    ) throws -> MultipartFormDataEncodingResult {
        let request = upload(try form.encode(), with: urlRequest)
        return result(request, nil)
    }

    private func uploadFromDisk(
        _ form: MultipartFormData, _ urlRequest: URLRequest
    ) throws -> MultipartFormDataEncodingResult {
        let folder = try FormFile.makeFolder()
        let file: URL
        do {
            file = try FormFile.place(in: folder)
            try form.writeEncodedData(to: file)
        } catch {
            try? FileManager.default.removeItem(at: folder)
            throw error
        }
        let request = upload(file, with: urlRequest)
        request.delegate.handlers.add { request.remove(folder) }
        return result(request, file)
    }

    /// The request; or its error, where it has no task and no retrier could give it one.
    private func result(_ request: UploadRequest, _ file: URL?) -> MultipartFormDataEncodingResult {
        if request.task == nil, retrier == nil, let error = request.delegate.error {
            // Nothing else ends it.
            request.resume()
            return .failure(error)
        }
        return .success(
            request: request, streamingFromDisk: file != nil, streamFileURL: file)
    }
}

extension Request {
    /// Removes the folder of a body that was sent. A request without a handler may still be
    /// validated and tried again.
    fileprivate func remove(_ folder: URL) {
        let isOver = state.withLock { state in
            if state.handlers == 0 { state.ownedFile = folder }
            return state.handlers > 0
        }
        if isOver { try? FileManager.default.removeItem(at: folder) }
    }
}
