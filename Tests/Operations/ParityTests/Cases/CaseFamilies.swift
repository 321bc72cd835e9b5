import ParitySupport

// What a case shows or may show: what was made, member by member as the recordings have it; or an
// error, as they have it where there is no request.
extension GoldenValue {
    static func failure(_ error: GoldenValue) -> GoldenValue {
        ["request": .null, "error": error]
    }

    /// An error of the request serializers with its sentence.
    static func failure(_ code: Int, _ explanation: String) -> GoldenValue {
        .failure(.requestError(code, explanation))
    }

    /// It does not compile in Swift.
    static func unsayable(_ what: String) -> GoldenValue { ["$unsayable": .string(what)] }

    /// Whether it is what was expected, in every member; nothing here shows an exception.
    func agrees(with expected: GoldenValue) -> Bool {
        guard expected["exception"] == nil else { return false }
        var expected = expected
        if expected["request"] == .null, let error = expected["error"] {
            expected = .failure(error)
        }
        return Self.compared(members, as: expected.members)
            == Self.compared(expected.members, as: expected.members)
    }

    /// Field names of headers are equal in any case (RFC 9110, section 5.1); `bodyUTF8` says the
    /// same as `bodyBase64`; not every case recorded its reads.
    private static func compared(
        _ members: [String: GoldenValue], as expected: [String: GoldenValue]
    ) -> [String: GoldenValue] {
        var members = members
        members["bodyUTF8"] = nil
        if expected["readSizes"] == nil { members["readSizes"] = nil }
        if case .object(let headers)? = members["headers"] {
            members["headers"] = .object(
                Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 })
        }
        return members
    }
}

extension ParityFamily {
    private init(
        _ files: [String], _ rules: [ParityRule],
        play: @escaping @Sendable (GoldenValue) throws -> GoldenValue
    ) {
        self.init(files, rules) { try play($0.input) }
    }

    private init(
        _ files: [String], _ rules: [ParityRule],
        play: @escaping @Sendable (RecordedCase) throws -> GoldenValue
    ) {
        self.init(
            files, of: recordings, rules: rules,
            agrees: { seen, expected, _ in seen.agrees(with: expected) },
            play: play)
    }

    static let requests = ParityFamily(
        ["query-strings", "json-plist-requests"], RequestRules.all, play: RequestCases.outcome)
    static let multipart = ParityFamily(
        ["multipart"], MultipartRules.all, play: MultipartCases.outcome)
    static let responses = ParityFamily(
        ["response-serialization"], ResponseRules.all, play: ResponseCases.outcome)
    static let baseURLs = ParityFamily(["base-url"], BaseURLRules.all, play: BaseURLCases.outcome)

    static let all = [requests, multipart, responses, baseURLs]

    /// The family whose cases are in a file of that name.
    static func of(file: String) -> ParityFamily? { all.first { $0.files.contains(file) } }
}
