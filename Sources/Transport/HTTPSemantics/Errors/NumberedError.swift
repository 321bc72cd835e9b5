package import Foundation

/// An error with a number that never changes and a sentence, the code and the description of its
/// `NSError`.
///
/// A file that reads `errorCode`, `errorDescription` or `errorUserInfo` of such a type must import
/// this module: without it Swift uses Foundation's defaults.
package protocol NumberedError: CustomNSError, LocalizedError {
    /// The number, and what went wrong in words.
    var numbered: (number: Int, sentence: String) { get }
    /// What `errorUserInfo` has besides the sentence.
    var details: [String: Any] { get }
}

extension NumberedError {
    package var details: [String: Any] { [:] }

    /// The number.
    public var errorCode: Int { numbered.number }

    /// The sentence.
    public var errorDescription: String? { numbered.sentence }

    /// The sentence as the description, and the details.
    public var errorUserInfo: [String: Any] {
        details.merging([NSLocalizedDescriptionKey: numbered.sentence]) { $1 }
    }
}
