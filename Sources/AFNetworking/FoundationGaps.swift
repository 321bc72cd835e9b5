public import Foundation
import FoundationNetworking

// What sources for Apple's systems call and Foundation on Linux does not have.

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
    /// Without its parameter it would be an override of `NSString`'s, which no extension may hold.
    public convenience init(_ nothing: Void = ()) {
        self.init(capacity: 0)
    }
}

/// The key of an error's user info under which a download that can go on has its resume data.
@available(*, deprecated, renamed: "URLSessionDownloadTaskResumeData")
public var NSURLSessionDownloadTaskResumeData: String {
    URLSessionDownloadTaskResumeData
}
