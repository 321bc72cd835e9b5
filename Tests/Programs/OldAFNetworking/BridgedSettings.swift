// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

/// Settings in the types that Objective-C's had.
func bridgedManager(_ base: URL) -> AFHTTPRequestOperationManager {
    let manager = AFHTTPRequestOperationManager(baseURL: base)
    manager.requestSerializer.stringEncoding = String.Encoding.isoLatin1.rawValue
    manager.requestSerializer.httpMethodsEncodingParametersInURI =
        NSSet(objects: "GET", "POST") as! Set<AnyHashable>
    manager.responseSerializer = AFHTTPResponseSerializer()
    manager.responseSerializer.acceptableContentTypes =
        NSSet(objects: "text/plain", "text/x-note") as? Set<AnyHashable>
    manager.responseSerializer.acceptableContentTypes?.insert("text/html")
    return manager
}

func textOfBody(_ operation: AFHTTPRequestOperation) -> String? {
    return String(
        data: operation.responseData!,
        encoding: String.Encoding(rawValue: operation.responseStringEncoding))
}
