/// The languages of the lessons; the raw values name their folders.
public enum Language: String, CaseIterable, Sendable {
    case english = "en"
    case simplifiedChinese = "zh-Hans"

    /// Chinese where `LANG` begins with `zh`, otherwise English.
    public static func current(_ environment: [String: String]) -> Language {
        environment["LANG"]?.hasPrefix("zh") == true ? .simplifiedChinese : .english
    }
}

/// A short text in each language.
public struct Words: Hashable, Sendable, Codable {
    private let english: String
    private let chinese: String

    private enum CodingKeys: String, CodingKey {
        case english = "en"
        case chinese = "zh-Hans"
    }

    package init(_ english: String, _ chinese: String) {
        self.english = english
        self.chinese = chinese
    }

    /// The text in a language.
    public func text(_ language: Language) -> String {
        switch language {
        case .english: english
        case .simplifiedChinese: chinese
        }
    }
}
