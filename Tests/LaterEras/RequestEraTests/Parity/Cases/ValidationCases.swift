import ParitySupport
import TestSupport

@testable import RequestEra

/// request-validation.json: what validations say of a response, and the errors themselves.
enum ValidationCases {
    static func play(_ recorded: RecordedCase) async throws -> GoldenValue {
        let input = recorded.input
        if let name = input["AFError"]?.string { return try ErrorCases.members(of: name, input) }
        if recorded.id.hasPrefix("order/") || recorded.id == "download/custom" {
            return try await RunValidations.play(recorded)
        }
        return try FormRoom.with { room in
            try Data("x".utf8).write(to: room.folder.appendingPathComponent("v-body"))
            try Data().write(to: room.folder.appendingPathComponent("v-empty"))
            try FileManager.default.createDirectory(
                at: room.folder.appendingPathComponent("vdir"), withIntermediateDirectories: false)
            return try outcome(input, room)
        }
    }

    private static func outcome(_ input: GoldenValue, _ room: FormRoom) throws -> GoldenValue {
        let response = try response(input)
        let body = try body(input, room)
        func types(_ acceptable: [String]) -> ValidationResult {
            switch body {
            case .data(let data): ResponseValidation.contentType(acceptable, response, data)
            case .file(let url): ResponseValidation.contentType(acceptable, response, file: url)
            }
        }
        var result = ValidationResult.success
        if let acceptable = input["acceptable"] {
            result = types(acceptable.elements.compactMap(\.string))
        } else if let calls = input["calls"]?.string {
            result = try status(calls, response)
            if calls == "validate()", case .success = result {
                var request = URLRequest(url: try "https://example.com/".asURL())
                request.setValue(input["Accept"]?.string, forHTTPHeaderField: "Accept")
                result = types(ResponseValidation.acceptableContentTypes(of: request))
            }
        } else {
            throw Unplayed("\(input)")
        }
        var members = ["error": room.shown(error(of: result))]
        // A case of types says what the response calls its own.
        if input["body"] != nil { members["mimeType"] = SeenValue.text(response.mimeType) }
        return .object(members)
    }

    static func error(of result: ValidationResult) -> GoldenValue {
        if case .failure(let error) = result { SeenValue.error(error) } else { .absent }
    }

    private static func status(
        _ calls: String, _ response: HTTPURLResponse
    ) throws -> ValidationResult {
        switch calls {
        case "validate()":
            return ResponseValidation.status(ResponseValidation.acceptableStatusCodes, response)
        case "validate(statusCode: [])": return ResponseValidation.status([], response)
        case "validate(statusCode: [200, 404])":
            return ResponseValidation.status([200, 404], response)
        case "validate(statusCode: Set([404]))":
            return ResponseValidation.status(Set([404]), response)
        case "validate(statusCode: 400...499)":
            return ResponseValidation.status(400...499, response)
        case "validate(statusCode: 200..<300)":
            return ResponseValidation.status(200..<300, response)
        default: throw Unplayed(calls)
        }
    }

    private static func response(_ input: GoldenValue) throws -> HTTPURLResponse {
        let type = input["Content-Type"]?.string
        let response = HTTPURLResponse(
            url: try "https://example.com/".asURL(), statusCode: input["status"]?.int ?? 200,
            httpVersion: "HTTP/1.1", headerFields: type.map { ["Content-Type": $0] })
        guard let response else { throw Unplayed("the response of \(input)") }
        return response
    }

    /// What was received, of a data request or of a download.
    private enum Body {
        case data(Data?)
        case file(URL?)
    }

    private static func body(_ input: GoldenValue, _ room: FormRoom) throws -> Body {
        // Where there is a destination closure, what it gave counts.
        if let destination = input["destination"] {
            return .file(destination.string.map { room.folder.appendingPathComponent($0) })
        }
        switch input["file"]?.string {
        case "body", "empty", "missing":
            return .file(
                room.folder.appendingPathComponent("v-" + (input["file"]?.string ?? "")))
        case "directory": return .file(room.folder.appendingPathComponent("vdir"))
        case "nil": return .file(nil)
        case let file?: throw Unplayed("the file \(file)")
        case nil: break
        }
        switch input["body"]?.string {
        case "body", nil: return .data(Data("body".utf8))
        case "empty": return .data(Data())
        case "nil": return .data(nil)
        case let body?: throw Unplayed("the body \(body)")
        }
    }
}
