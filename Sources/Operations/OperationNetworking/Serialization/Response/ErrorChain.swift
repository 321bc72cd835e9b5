import HTTPSemantics
import Foundation

/// An error with the errors beneath it, as NSError's userInfo links them.
enum ErrorChain {
    /// Whether the error, or one beneath it, says that the type was not acceptable (RE-6).
    static func hasUnacceptableType(_ error: any Error) -> Bool {
        var next: NSError? = error as NSError
        while let error = next {
            if error.domain == NetworkingError.responseSerializationDomain,
                error.code == NSURLErrorCannotDecodeContentData
            {
                return true
            }
            next = error.userInfo[NSUnderlyingErrorKey] as? NSError
        }
        return false
    }

    /// The error with another one beneath it; unchanged where it has one already (RE-7).
    static func attaching(_ underlying: (any Error)?, to error: any Error) -> any Error {
        let top = error as NSError
        guard let underlying, top.userInfo[NSUnderlyingErrorKey] == nil else { return error }
        var info = top.userInfo
        info[NSUnderlyingErrorKey] = underlying
        return DescribedError(domain: top.domain, code: top.code, userInfo: info)
    }
}
