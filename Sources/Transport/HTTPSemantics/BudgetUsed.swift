package import Foundation

/// The end of an error's sentence where the budget of a policy, and nothing else, ended the tries.
package enum BudgetUsed {
    package static let text = "the retry budget is used up"
    package static let sentence = "The retry budget is used up."

    /// The same error, with that at the end of its description.
    package static func noted(in error: URLError) -> URLError {
        var info = error.userInfo
        info[NSUnderlyingErrorKey] = error.underlyingError
        info[NSLocalizedDescriptionKey] = error.localizedDescription + " " + sentence
        return URLError(error.code, described: info)
    }
}
