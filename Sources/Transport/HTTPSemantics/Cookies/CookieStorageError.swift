public import Foundation

/// Why a file of cookies could not be used; the file is left as it is.
///
/// As an `NSError` it has the domain `CurlConnection.cookies`; later versions keep its codes.
public struct CookieStorageError: NumberedError, Sendable {
    /// What went wrong.
    public enum Code: Int, Sendable {
        /// 1: the file could not be read; a missing file is no error.
        case unreadable = 1
        /// 2: what the file holds is not what a storage writes.
        case damaged = 2
        /// 3: the cookies could not be written.
        case unwritable = 3
    }

    /// What went wrong.
    public let code: Code
    /// The file.
    public let file: URL
    /// The reason in the words of the operating system or the decoder.
    public let reason: String

    /// `CurlConnection.cookies`.
    public static var errorDomain: String { "CurlConnection.cookies" }

    package var numbered: (number: Int, sentence: String) { (code.rawValue, sentence) }

    private var sentence: String {
        switch code {
        case .unreadable: "The cookies in \(file.path) cannot be read: \(reason)."
        case .damaged: "\(file.path) is no file of cookies, or damaged: \(reason)."
        case .unwritable: "The cookies cannot be written to \(file.path): \(reason)."
        }
    }

    package var details: [String: Any] { [NSFilePathErrorKey: file.path] }
}
