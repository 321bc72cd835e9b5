package import Foundation

/// The sentence that an error gets when the retry budget alone ended the attempts.
package enum BudgetUsed {
    package static let text = "the retry budget is used up"
    package static let sentence = "The retry budget is used up."

    package static func noted(in error: URLError) -> URLError {
        var info = error.userInfo
        info[NSUnderlyingErrorKey] = error.underlyingError
        info[NSLocalizedDescriptionKey] = error.localizedDescription + " " + sentence
        return URLError(error.code, described: info)
    }
}
