public import Foundation
import HTTPSemantics

/// Why a multipart body could not be made or read.
///
/// Its domain as an `NSError` is `NetworkingError.requestSerializationDomain`.
public struct MultipartError: Error, Sendable, CustomNSError {
    /// Why. The numbers never change.
    public enum Reason: Int, Sendable, CaseIterable {
        /// 1: a file part's URL, or the file to write to, is not a file URL.
        case notFileURL = 1
        /// 2: there is no file at the URL.
        case fileNotReachable = 2
        /// 3: the URL is that of a directory, a device or a pipe.
        case notRegularFile = 3
        /// 4: a part's header field has a control character, or a name that is no token.
        case refusedHeader = 4
        /// 5: a part's length is negative, or the sum is more than 2^63 - 1 bytes.
        case refusedLength = 5
        /// 6: a parameter cannot be written in the serializer's `stringEncoding`.
        case unencodableParameter = 6
        /// 7: GET and HEAD have no multipart body.
        case methodWithoutBody = 7
        /// 8: a file is no longer as it was when it was appended.
        case fileChanged = 8
        /// 9: a file cannot be opened or read.
        case fileUnreadable = 9
        /// 10: a stream part had fewer or more bytes than declared.
        case streamLengthDiffers = 10
        /// 11: a stream part failed.
        case streamFailed = 11
        /// 12: the body must be sent again, and a stream part can be read only once.
        case streamSpent = 12
        /// 13: the request has no body stream to write to a file.
        case noBodyStream = 13
        /// 14: the file could not be written.
        case fileNotWritten = 14
    }

    /// What went wrong.
    public let reason: Reason
    /// A sentence that says what was wrong.
    public let failureReason: String
    /// The underlying error, such as the operating system's.
    public let underlying: (any Error)?

    package init(_ reason: Reason, _ failureReason: String, underlying: (any Error)? = nil) {
        self.reason = reason
        self.failureReason = failureReason.printable
        self.underlying = underlying
    }

    /// Makes the error with the operating system's `errno`.
    init(_ reason: Reason, _ failureReason: String, errno number: Int32) {
        self.init(
            reason, failureReason,
            underlying: NSError(domain: NSPOSIXErrorDomain, code: Int(number)))
    }

    /// `NetworkingError.requestSerializationDomain`.
    public static var errorDomain: String { NetworkingError.requestSerializationDomain }

    /// A code of `NSURLErrorDomain`, as in AFNetworking: -1021 if the body cannot be sent completely, -3000 if a file
    /// cannot be written, -1000 otherwise.
    public var errorCode: Int {
        switch reason {
        case .fileChanged, .fileUnreadable, .streamLengthDiffers, .streamFailed, .streamSpent: -1021
        case .fileNotWritten: -3000
        default: -1000
        }
    }

    /// The failure reason, and the underlying error if there is one.
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [NSLocalizedFailureReasonErrorKey: failureReason]
        info[NSUnderlyingErrorKey] = underlying.map { $0 as NSError }
        return info
    }
}
