import EventRecorder
import Foundation
import FoundationNetworking
public import OperationNetworking
public import SessionTasks

extension HTTPSessionManager {
    /// Sends a GET; the parameters go into the query.
    ///
    /// - Parameters:
    ///   - urlString: an absolute URL, or a path relative to `baseURL`; a path that begins
    ///     with a slash drops the base's own path.
    ///   - parameters: a dictionary, array or set, nested to any depth.
    ///   - headers: header fields of the request, instead of those of the serializer.
    ///   - progress: called on the delegate queue as the body is received.
    ///   - success: called on `completionQueue` or main with the object. It has no default, so that
    ///     a call without blocks is the asynchronous method. With nil no block is called about a
    ///     success.
    ///   - failure: called there with the error of the session or of the serializer.
    /// - Returns: the resumed task; nil where no request could be built. `failure` is then called
    ///   with nil and the error.
    @_disfavoredOverload
    @discardableResult
    public func get(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        progress: ProgressBlock? = nil, success: Success?, failure: Failure? = nil
    ) -> SessionDataTask? {
        run("GET", urlString, parameters, headers, download: progress, success, failure)
    }

    /// Sends a HEAD; the parameters go into the query. Otherwise it is like `get`.
    @_disfavoredOverload
    @discardableResult
    public func head(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: (@Sendable (SessionDataTask) -> Void)?, failure: Failure? = nil
    ) -> SessionDataTask? {
        run("HEAD", urlString, parameters, headers, { task, _ in success?(task) }, failure)
    }

    /// Sends a POST; the parameters go into the body, and the progress is that of sending it.
    /// Otherwise it is like `get`.
    @_disfavoredOverload
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        progress: ProgressBlock? = nil, success: Success?, failure: Failure? = nil
    ) -> SessionDataTask? {
        run("POST", urlString, parameters, headers, upload: progress, success, failure)
    }

    /// Sends a POST with a multipart form as a streamed upload: the parameters first, then
    /// the parts that the block appends.
    ///
    /// - Parameters:
    ///   - constructingBody: called before this returns, on the caller's thread.
    ///   - progress: called on the delegate queue as the form is sent.
    @_disfavoredOverload
    @discardableResult
    public func post(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        constructingBodyWith constructingBody: ((any MultipartFormData) -> Void)?,
        progress: ProgressBlock? = nil, success: Success?, failure: Failure? = nil
    ) -> SessionDataTask? {
        form(urlString, parameters, headers, constructingBody, failure).map { request in
            let task = linked(success, failure) {
                uploadTask(withStreamedRequest: request, progress: progress, completionHandler: $0)
            }
            task.resume()
            return task
        }
    }

    /// Sends a PUT; the parameters go into the body. Otherwise it is like `get`.
    @_disfavoredOverload
    @discardableResult
    public func put(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: Success?, failure: Failure? = nil
    ) -> SessionDataTask? {
        run("PUT", urlString, parameters, headers, success, failure)
    }

    /// Sends a PATCH; the parameters go into the body. Otherwise it is like `get`.
    @_disfavoredOverload
    @discardableResult
    public func patch(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: Success?, failure: Failure? = nil
    ) -> SessionDataTask? {
        run("PATCH", urlString, parameters, headers, success, failure)
    }

    /// Sends a DELETE; the parameters go into the query. Otherwise it is like `get`.
    @_disfavoredOverload
    @discardableResult
    public func delete(
        _ urlString: String, parameters: Any? = nil, headers: [String: String]? = nil,
        success: Success?, failure: Failure? = nil
    ) -> SessionDataTask? {
        run("DELETE", urlString, parameters, headers, success, failure)
    }

    // MARK: - Steps

    private func run(
        _ method: String, _ urlString: String, _ parameters: Any?, _ headers: [String: String]?,
        upload: ProgressBlock? = nil, download: ProgressBlock? = nil, _ success: Success?,
        _ failure: Failure?
    ) -> SessionDataTask? {
        let task = dataTask(
            withHTTPMethod: method, urlString: urlString, parameters: parameters, headers: headers,
            uploadProgress: upload, downloadProgress: download, success: success, failure: failure)
        task?.resume()
        return task
    }

    /// The request of a multipart form. Nil where it could not be built; `failure` is then called.
    func form(
        _ urlString: String, _ parameters: Any?, _ headers: [String: String]?,
        _ constructingBody: ((any MultipartFormData) -> Void)?, _ failure: Failure?
    ) -> URLRequest? {
        request(headers, failure) {
            try requestSerializer.multipartFormRequest(
                method: "POST", urlString: RequestPath.resolve(urlString, against: baseURL),
                parameters: FormFields.named(parameters), constructingBody: constructingBody)
        }
    }

    /// The request with the call's header fields. Nil where it could not be built; `failure` is then called.
    func request(
        _ headers: [String: String]?, _ failure: Failure?, _ build: () throws -> URLRequest
    ) -> URLRequest? {
        do {
            var request = try build()
            for (field, value) in headers ?? [:] {
                try RequestSerializationError.checkField(field, value)
                request.setValue(value, forHTTPHeaderField: field)
            }
            return request
        } catch {
            if let failure {
                (completionQueue ?? .main).recordedAsync {
                    EventRecorder.span(.callback, text: .failure) { failure(nil, error) }
                }
            }
            return nil
        }
    }
}
