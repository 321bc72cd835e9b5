public import Foundation
public import FoundationNetworking
import FoundationXML
public import OperationNetworking

// MARK: - Headers and settings

extension HTTPRequestSerializer {
    /// Sets `Authorization` to Basic credentials.
    @available(*, deprecated, renamed: "setAuthorizationHeaderField(username:password:)")
    public func setAuthorizationHeaderFieldWithUsername(_ username: String, password: String) {
        setAuthorizationHeaderField(username: username, password: password)
    }

    /// Sets `Authorization` to `Token token="…"`; already deprecated in 2.x.
    @available(*, deprecated, renamed: "setValue(_:forHTTPHeaderField:)")
    public func setAuthorizationHeaderFieldWithToken(_ token: String) {
        setValue("Token token=\"\(token)\"", forHTTPHeaderField: "Authorization")
    }

    /// Restores the default encoding of queries.
    @available(*, deprecated, message: "use setQueryStringSerialization(nil)")
    public func setQueryStringSerializationWith(_ style: AFHTTPRequestQueryStringSerializationStyle)
    {
        setQueryStringSerialization(nil)
    }

    /// Sets the block that encodes parameters, for queries and bodies; nil restores the default.
    ///
    /// If the block writes an error to its pointer, the request fails with that error. If it returns nil, as 4.x
    /// allows, the request is made without parameters.
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

/// The style of a query string.
@available(*, deprecated, message: "there is one style; use setQueryStringSerialization(nil)")
public enum AFHTTPRequestQueryStringSerializationStyle: UInt, Sendable {
    /// Sorted pairs, percent-escaped.
    case defaultStyle = 0
}

// MARK: - Requests

extension HTTPRequestSerializer {
    /// Makes a request, as the Swift method of 4.x. 2.x had a deprecated one without an error.
    @available(*, deprecated, renamed: "request(method:urlString:parameters:)")
    public func request(
        withMethod method: String, urlString: String, parameters: Any?
    ) throws -> NSMutableURLRequest {
        Self.mutable(try request(method: method, urlString: urlString, parameters: parameters))
    }

    /// Makes a request.
    ///
    /// - Returns: the request. If none can be made, `error` is set, and the request has a URL that cannot be loaded,
    ///   because the old type is not optional.
    @available(*, deprecated, renamed: "request(method:urlString:parameters:)")
    public func request(
        withMethod method: String, urlString: String, parameters: Any?, error: NSErrorPointer
    ) -> NSMutableURLRequest {
        mutableRequest(or: error) {
            try request(method: method, urlString: urlString, parameters: parameters)
        }
    }

    /// Makes a multipart request; see the method with `error:`.
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
    /// The request with its parameters; nil if that fails, with the error in `error`.
    @available(*, deprecated, renamed: "request(bySerializing:with:)")
    public func request(
        bySerializingRequest request: URLRequest, withParameters parameters: Any?,
        error: NSErrorPointer
    ) -> URLRequest? {
        attempt(error) { try self.request(bySerializing: request, with: parameters) }
    }
}

extension MultipartFormData {
    /// Appends a file with its name, and the type of its extension.
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

    /// Appends `length` bytes of a stream, unless it is nil.
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

    /// Appends bytes with header fields, whose keys and values become text.
    @available(*, deprecated, renamed: "appendPart(headers:body:)")
    public func appendPart(withHeaders headers: [AnyHashable: Any]?, body: Data) {
        let named = headers.map {
            Dictionary(
                $0.map { ("\($0.key.base)", "\($0.value)") }, uniquingKeysWith: { $1 })
        }
        appendPart(headers: named, body: body)
    }

    /// Sends at most `packetSize` bytes at once, with `delay` seconds between packets.
    @available(*, deprecated, renamed: "throttleBandwidth(packetSize:delay:)")
    public func throttleBandwidth(withPacketSize packetSize: UInt, delay: TimeInterval) {
        throttleBandwidth(packetSize: Int(clamping: packetSize), delay: delay)
    }
}

/// The packet size for a 3G network, in bytes.
@available(*, deprecated, message: "write 16384")
public let kAFUploadStream3GSuggestedPacketSize: UInt = 16_384

/// The delay for a 3G network, in seconds.
@available(*, deprecated, message: "write 0.2")
public let kAFUploadStream3GSuggestedDelay: TimeInterval = 0.2

extension URLResponseSerialization {
    /// The decoded response, or nil; `error` can be set even with an object.
    @available(*, deprecated, renamed: "responseObject(for:data:)")
    public func responseObject(
        for response: URLResponse?, data: Data?, error: NSErrorPointer
    ) -> Any? {
        let result = responseObject(for: response, data: data)
        if let failure = result.error {
            error?.pointee = failure as NSError
        }
        return result.object
    }
}

extension XMLDocumentResponseSerializer {
    /// Makes a serializer that parses documents with these options.
    @available(*, deprecated, renamed: "init(options:)")
    public convenience init(xmlDocumentOptions mask: UInt) {
        self.init(options: XMLNode.Options(rawValue: mask))
    }
}

extension PropertyListResponseSerializer {
    /// Makes a serializer of immutable values.
    @available(*, deprecated, message: "add readOptions: []")
    public convenience init(format: PropertyListSerialization.PropertyListFormat) {
        self.init(format: format, readOptions: [])
    }
}

extension CompoundResponseSerializer {
    /// Makes a serializer that tries these in turn; other members are ignored.
    @available(*, deprecated, renamed: "init(responseSerializers:)")
    public class func compoundSerializer(
        withResponseSerializers serializers: [Any]
    ) -> CompoundResponseSerializer {
        CompoundResponseSerializer(
            responseSerializers: serializers.compactMap { $0 as? HTTPResponseSerializer })
    }
}

// The functions of 3.x and 4.x.

/// Parameters as a query, in UTF-8; empty if they are nested too deeply.
@available(*, deprecated, message: "let an HTTPRequestSerializer make the request")
public func AFQueryStringFromParameters(_ parameters: [AnyHashable: Any]) -> String {
    (try? QueryString.text(of: parameters)) ?? ""
}

/// Text as a name or a value in a query, in UTF-8.
@available(*, deprecated, message: "let an HTTPRequestSerializer make the request")
public func AFPercentEscapedStringFromString(_ string: String) -> String {
    PercentEscape.escaped(string)
}

/// A JSON value without nulls in dictionaries and, as in 4.x, in arrays.
///
/// With `.mutableContainers` the outermost container is mutable.
@available(*, deprecated, message: "set removesKeysWithNullValues and removesNullElements")
public func AFJSONObjectByRemovingKeysWithNullValues(
    _ JSONObject: Any, _ readingOptions: JSONSerialization.ReadingOptions
) -> Any {
    let object = DecodedContainers.removingNulls(JSONObject, entries: true, elements: true)
    return readingOptions.contains(.mutableContainers)
        ? DecodedContainers.mutable(object) : object
}
