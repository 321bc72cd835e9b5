public import Foundation
public import FoundationNetworking
public import OperationNetworking

// MARK: - Headers and settings

extension HTTPRequestSerializer {
    /// Sets `Authorization` to Basic credentials.
    @available(*, deprecated, renamed: "setAuthorizationHeaderField(username:password:)")
    public func setAuthorizationHeaderFieldWithUsername(_ username: String, password: String) {
        setAuthorizationHeaderField(username: username, password: password)
    }

    /// Sets `Authorization` to `Token token="…"`, which 2.x had deprecated already.
    @available(*, deprecated, renamed: "setValue(_:forHTTPHeaderField:)")
    public func setAuthorizationHeaderFieldWithToken(_ token: String) {
        setValue("Token token=\"\(token)\"", forHTTPHeaderField: "Authorization")
    }

    /// Restores the default encoding of queries (RQ-7).
    @available(*, deprecated, message: "use setQueryStringSerialization(nil)")
    public func setQueryStringSerializationWith(_ style: AFHTTPRequestQueryStringSerializationStyle)
    {
        setQueryStringSerialization(nil)
    }

    /// Sets the block that encodes parameters, for queries and bodies; nil restores the default
    /// (RQ-7).
    ///
    /// When the block writes an error to its pointer, the request fails with that error. When it
    /// returns nil, as 4.x allows, the request is made as if without parameters.
    @available(*, deprecated, renamed: "setQueryStringSerialization(_:)")
    @preconcurrency
    public func setQueryStringSerializationWith(
        _ block: (@Sendable (URLRequest, Any, NSErrorPointer) -> String?)?
    ) {
        guard let block else { return setQueryStringSerialization(nil) }
        setOptionalQueryStringSerialization { request, parameters in
            var error: NSError?
            let text = block(request, parameters, &error)
            if let error { throw error }
            return text
        }
    }
}

/// The style of a query string; there is only one.
@available(*, deprecated, message: "there is one style; use setQueryStringSerialization(nil)")
public enum AFHTTPRequestQueryStringSerializationStyle: UInt, Sendable {
    /// Sorted pairs, percent-escaped (QS-1 to QS-11).
    case defaultStyle = 0
}

// MARK: - Requests

extension HTTPRequestSerializer {
    /// Makes a request, as 4.x's method did, which the importer made one that throws.
    ///
    /// 2.x had a method of this name, deprecated, that reported no error.
    @available(*, deprecated, renamed: "request(method:urlString:parameters:)")
    public func request(
        withMethod method: String, urlString: String, parameters: Any?
    ) throws -> NSMutableURLRequest {
        Self.mutable(try request(method: method, urlString: urlString, parameters: parameters))
    }

    /// Makes a request.
    ///
    /// - Returns: the request. When none can be made, `error` has the reason, and the returned
    ///   request has a URL that cannot be loaded, because the old type is not optional.
    @available(*, deprecated, renamed: "request(method:urlString:parameters:)")
    public func request(
        withMethod method: String, urlString: String, parameters: Any?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        mutableRequest(or: error) {
            try request(method: method, urlString: urlString, parameters: parameters)
        }
    }

    /// Makes a multipart request without reporting an error; see the form with `error:`.
    @available(
        *, deprecated,
        renamed: "multipartFormRequest(method:urlString:parameters:constructingBody:)"
    )
    public func multipartFormRequest(
        withMethod method: String, urlString: String, parameters: [AnyHashable: Any],
        constructingBodyWith block: @escaping (any MultipartFormData) -> Void
    ) -> NSMutableURLRequest {
        multipartFormRequest(
            withMethod: method, urlString: urlString, parameters: parameters,
            constructingBodyWith: block, error: nil)
    }

    /// Makes a multipart request: the parameters first, then the parts that the block appends.
    ///
    /// - Returns: as `request(withMethod:urlString:parameters:error:)`.
    @available(
        *, deprecated,
        renamed: "multipartFormRequest(method:urlString:parameters:constructingBody:)"
    )
    public func multipartFormRequest(
        withMethod method: String, urlString: String, parameters: [AnyHashable: Any]?,
        constructingBodyWith block: ((any MultipartFormData) -> Void)?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        let named = parameters.map {
            Dictionary($0.map { ("\($0.key.base)", $0.value) }, uniquingKeysWith: { $1 })
        }
        return mutableRequest(or: error) {
            try multipartFormRequest(
                method: method, urlString: urlString, parameters: named, constructingBody: block)
        }
    }

    /// Writes a multipart body to a file in the background; returns the request without a body.
    @available(
        *, deprecated,
        renamed: "request(withMultipartFormRequest:writingStreamContentsToFile:completionHandler:)"
    )
    @preconcurrency
    public func request(
        withMultipartForm request: URLRequest, writingStreamContentsToFile fileURL: URL,
        completionHandler: (@Sendable ((any Error)?) -> Void)? = nil
    ) -> NSMutableURLRequest {
        mutableRequest(or: nil) {
            self.request(
                withMultipartFormRequest: request, writingStreamContentsToFile: fileURL,
                completionHandler: completionHandler)
        }
    }

    private func mutableRequest(
        or error: NSErrorPointer, _ make: () throws -> URLRequest
    ) -> NSMutableURLRequest {
        let nothing = URL(fileURLWithPath: "/dev/null")
        return attempt(error, make).map(Self.mutable) ?? NSMutableURLRequest(url: nothing)
    }

    private static func mutable(_ request: URLRequest) -> NSMutableURLRequest {
        (request as NSURLRequest).mutableCopy() as? NSMutableURLRequest
            ?? NSMutableURLRequest(url: URL(fileURLWithPath: "/dev/null"))
    }
}

extension URLRequestSerialization {
    /// The request with its parameters; nil with the reason in `error` when that fails.
    @available(*, deprecated, renamed: "request(bySerializing:with:)")
    public func request(
        bySerializingRequest request: URLRequest, withParameters parameters: Any?,
        error: NSErrorPointer
    ) -> URLRequest? {
        attempt(error) { try self.request(bySerializing: request, with: parameters) }
    }
}
