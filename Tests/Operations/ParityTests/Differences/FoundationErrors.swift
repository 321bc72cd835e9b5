import FoundationXML
import ParitySupport
import TestSupport

/// Errors that Foundation makes, as it makes them here.
enum FoundationErrors {
    /// The recorded output with each error in Foundation's words of here.
    ///
    /// - Parameter parser: the error of a parser in place of the one that was recorded; nil where
    ///   it is none.
    static func output(
        _ recorded: RecordedCase, parser: (GoldenValue) -> GoldenValue?
    ) -> GoldenValue {
        var members = recorded.output.members
        for name in ["error", "validateError"] {
            members[name] = members[name].map { error($0, parser) }
        }
        return .object(members)
    }

    /// One error, and those beneath it.
    private static func error(
        _ recorded: GoldenValue, _ parser: (GoldenValue) -> GoldenValue?
    ) -> GoldenValue {
        guard case .object(var members) = parser(recorded) ?? recorded else { return recorded }
        var info = members["userInfo"]?.members ?? [:]
        if let beneath = recorded["userInfo"]?["NSUnderlyingError"] {
            info["NSUnderlyingError"] = error(beneath, parser)
        }
        let response = info["com.alamofire.serialization.response.error.response"]
        if members["domain"] == "com.alamofire.error.serialization.response",
            members["code"] == -1011,
            let status = response?["$response"]?["statusCode"]?.int
        {
            info["NSLocalizedDescription"] = .string("Request failed: \(words(status))")
        }
        members["userInfo"] = .object(info)
        members["userInfoKeys"] = .array(info.keys.sorted().map { .string($0) })
        return .object(members)
    }

    /// A status in words and in digits; Apple's Foundation has another text for 200.
    static func words(_ status: Int) -> String {
        let words =
            status == 200
            ? "no error" : HTTPURLResponse.localizedString(forStatusCode: status).lowercased()
        return "\(words) (\(status))"
    }

    static func thrown(by parse: () throws -> Any) -> GoldenValue? {
        do {
            _ = try parse()
            return nil
        } catch {
            return Seen.error(error)
        }
    }

    /// What the XML parser finds; it finds nothing in what does not begin as a document.
    static func ofXML(_ body: Data) -> GoldenValue? {
        let start = StartedDocument()
        let parser = XMLParser(data: body)
        parser.delegate = start
        if !body.isEmpty { _ = parser.parse() }
        guard start.isSeen else {
            return Seen.error(
                NSError(
                    domain: XMLParser.errorDomain,
                    code: XMLParser.ErrorCode.internalError.rawValue,
                    userInfo: [NSDebugDescriptionErrorKey: "The body holds no document."]))
        }
        // The tree is made first, then the form is checked.
        return thrown { try XMLDocument(data: body, options: .nodeLoadExternalEntitiesNever) }
            ?? form(body)
    }
}

extension FoundationErrors {
    /// What the parser finds when nobody listens to it.
    private static func form(_ body: Data) -> GoldenValue? {
        let parser = XMLParser(data: body)
        _ = parser.parse()
        return parser.parserError.map { Seen.error($0) }
    }
}

private final class StartedDocument: NSObject, XMLParserDelegate {
    private(set) var isSeen = false

    func parserDidStartDocument(_ parser: XMLParser) { isSeen = true }
}
