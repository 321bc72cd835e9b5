public import Foundation

/// The contents of a page: pictures, each with one or more recordings on a common time axis.
public struct TimelineDocument: Codable, Sendable, Equatable {
    /// The page's heading.
    public var title: String
    /// One or two sentences under the title.
    public var subtitle: String
    /// Processor, system and compiler, in one line.
    public var machine: String
    /// When it was recorded.
    public var date: Date
    /// What the page calls one of its pictures.
    public var noun: String
    /// The language of the page's own texts: "en" or "zh-Hans". The document's texts are not
    /// translated.
    public var language: String
    /// The tables of changes after the pictures, one for each cause, in order.
    public var groups: [Group]
    /// A sentence under these tables.
    public var note: String
    /// The pictures in their order.
    public var scenarios: [TimelineScenario]

    /// A page of these pictures.
    ///
    /// - Parameters:
    ///   - title: the page's heading.
    ///   - subtitle: one or two sentences under the title.
    ///   - machine: processor, system and compiler, in one line.
    ///   - date: when it was recorded.
    ///   - noun: what the page calls one of its pictures, in the singular.
    ///   - language: the language of the page's own texts, "en" or "zh-Hans".
    ///   - groups: the tables of changes; a group without a change is left out.
    ///   - note: a sentence under these tables.
    ///   - scenarios: the pictures in their order.
    public init(
        title: String, subtitle: String = "", machine: String = "", date: Date,
        noun: String = "picture", language: String = "en", groups: [Group] = [], note: String = "",
        scenarios: [TimelineScenario]
    ) {
        self.title = title
        self.subtitle = subtitle
        self.machine = machine
        self.date = date
        self.noun = noun
        self.language = language
        self.groups = groups
        self.note = note
        self.scenarios = scenarios
    }

    /// A table of the changes with one cause; left out where there are none.
    public struct Group: Codable, Sendable, Equatable {
        /// As in `TimelineChange.cause`.
        public var cause: String
        /// The table's heading.
        public var heading: String

        /// A table of the changes with this cause.
        public init(cause: String, heading: String) {
            self.cause = cause
            self.heading = heading
        }
    }
}
