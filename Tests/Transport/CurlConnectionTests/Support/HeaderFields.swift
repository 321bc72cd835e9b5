import HTTPSemantics

/// The server of tests has a type of the same name.
typealias HeaderFields = HTTPSemantics.HeaderFields
