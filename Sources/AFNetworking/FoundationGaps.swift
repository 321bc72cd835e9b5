public import Foundation
import FoundationNetworking

// Declarations that sources for Apple's systems use and Foundation on Linux lacks.

extension NSMutableDictionary {
    /// Sets the value of a key; nil removes it.
    public func setValue(_ value: Any?, forKey key: String) {
        if let value {
            setObject(value, forKey: key as NSString)
        } else {
            removeObject(forKey: key as NSString)
        }
    }
}

extension NSMutableString {
    /// An empty text, written `NSMutableString()`.
    ///
    /// Without its parameter it would override `NSString`'s, which an extension cannot do.
    public convenience init(_ nothing: Void = ()) {
        self.init(capacity: 0)
    }
}

/// The user info key of the resume data in the error of a download.
@available(*, deprecated, renamed: "URLSessionDownloadTaskResumeData")
public var NSURLSessionDownloadTaskResumeData: String {
    URLSessionDownloadTaskResumeData
}
