import ParitySupport
import RequestEra
import TestSupport

/// request-results.json: results, responses and timelines.
enum ResultCases {
    static func play(_ recorded: RecordedCase) throws -> GoldenValue {
        let input = recorded.input
        let family = recorded.id.prefix { $0 != "/" }
        switch (family, input["transform"]) {
        case ("timeline", _): return timeline(input)
        case ("result", _): return try result(recorded)
        case ("data-response", let transform?):
            return shown(try transformed(response(input), transform.string ?? "", recorded.id))
        case ("download-response", let transform?):
            return shown(try transformed(download(input), transform.string ?? "", recorded.id))
        case ("data-response", nil):
            let response = try response(input)
            return texts(response)
        case ("download-response", nil):
            return texts(try download(input))
        default: throw Unplayed(recorded.id)
        }
    }

    private static func texts(
        _ value: some CustomStringConvertible & CustomDebugStringConvertible
    ) -> GoldenValue {
        [
            "description": .string(value.description),
            "debugDescription": .string(value.debugDescription),
        ]
    }

    // MARK: - Results

    static func given(_ name: GoldenValue?) throws -> Result<String> {
        switch name?.string {
        case "success": .success("hi")
        case "failure": .failure(PlainError(tag: "e"))
        case "failure-af":
            .failure(
                AFError.responseValidationFailed(reason: .unacceptableStatusCode(code: 404)))
        default: throw Unplayed("the result \(name ?? .null)")
        }
    }

    private static func result(_ recorded: RecordedCase) throws -> GoldenValue {
        let input = recorded.input
        let kind = recorded.id.components(separatedBy: "/")[safe: 1] ?? ""
        switch kind {
        case "text": return try text(input["result"]?.string ?? "")
        case "init":
            return members(
                Result<String> {
                    if input["init(value:)"] == "returns \"v\"" { return "v" }
                    guard input["init(value:)"] == "throws PlainError(t)" else {
                        throw Unplayed("\(input)")
                    }
                    throw PlainError(tag: "t")
                })
        case "unwrap":
            do {
                return ["returned": .string(try given(input["result"]).unwrap())]
            } catch let error as Unplayed {
                throw error
            } catch {
                return ["thrown": SeenValue.error(error)]
            }
        case "closures-throw": return closures(try given(input["result"]))
        case "properties": return members(try given(input["result"]))
        default:
            return members(
                try mapped(
                    given(input["result"]), Transform(input["transform"]?.string ?? "", kind)))
        }
    }

    private static func text(_ name: String) throws -> GoldenValue {
        switch name {
        case "int": texts(Result.success(1))
        case "null": texts(Result.success(NSNull()))
        case "array": texts(Result.success([1, 2]))
        case "nil-optional": texts(Result<String?>.success(nil))
        case "nserror": texts(Result<Int>.failure(NSError(domain: "D", code: 3)))
        case "string": texts(Result.success("hi"))
        case "empty-string": texts(Result.success(""))
        case "dictionary": texts(Result.success(["a": 1]))
        case "void": texts(Result<Void>.success(()))
        default: throw Unplayed("the result \(name)")
        }
    }

    private static func closures(_ result: Result<String>) -> GoldenValue {
        func outcome(_ name: String, _ body: () throws -> Void) -> GoldenValue {
            do {
                try body()
                return .string(name + " returned")
            } catch {
                return .string(name + " threw")
            }
        }
        return [
            "outcome": [
                outcome("withValue") { try result.withValue { _ in throw PlainError(tag: "c") } },
                outcome("withError") { try result.withError { _ in throw PlainError(tag: "c") } },
                outcome("ifSuccess") { try result.ifSuccess { throw PlainError(tag: "c") } },
                outcome("ifFailure") { try result.ifFailure { throw PlainError(tag: "c") } },
            ]
        ]
    }

    private static func members<Value>(_ result: Result<Value>) -> GoldenValue {
        .object(
            texts(result).members.merging([
                "isSuccess": .bool(result.isSuccess), "isFailure": .bool(result.isFailure),
                "value": SeenValue.object(result.value), "error": SeenValue.error(result.error),
            ]) { $1 })
    }

    // MARK: - Transforms

    /// What a transform's closure does.
    struct Transform {
        let method: String
        private let text: String

        init(_ text: String, _ method: String) {
            (self.text, self.method) = (text, method)
        }

        func value(_ value: String) throws -> Int {
            if let tag = tag("throws ") { throw PlainError(tag: tag) }
            guard text == "count" else { throw Unplayed(text) }
            return value.count
        }

        func error(_ error: any Error) throws -> PlainError {
            if let tag = tag("throws ") { throw PlainError(tag: tag) }
            guard let tag = tag("") else { throw Unplayed(text) }
            return PlainError(tag: tag)
        }

        private func tag(_ start: String) -> String? {
            let start = start + "PlainError("
            guard text.hasPrefix(start), text.hasSuffix(")") else { return nil }
            return String(text.dropFirst(start.count).dropLast())
        }
    }

    private static func mapped(
        _ result: Result<String>, _ transform: Transform
    ) throws -> Result<Any> {
        switch transform.method {
        case "map": result.map { (try? transform.value($0)) ?? -1 }.map { $0 as Any }
        case "flatMap", "flatMap-throws": result.flatMap(transform.value).map { $0 as Any }
        case "mapError":
            result.mapError { (try? transform.error($0)) ?? PlainError(tag: "?") }.map { $0 as Any }
        case "flatMapError", "flatMapError-throws":
            result.flatMapError(transform.error).map { $0 as Any }
        default: throw Unplayed(transform.method)
        }
    }

    private static func transformed(
        _ response: DataResponse<String>, _ text: String, _ id: String
    ) throws -> DataResponse<Any> {
        let transform = Transform(text, id.components(separatedBy: "/")[safe: 1] ?? "")
        switch transform.method {
        case "map": return response.map { (try? transform.value($0)) ?? -1 }.map { $0 as Any }
        case "flatMap", "flatMap-throws":
            return response.flatMap(transform.value).map { $0 as Any }
        case "mapError":
            return response.mapError { (try? transform.error($0)) ?? PlainError(tag: "?") }
                .map { $0 as Any }
        case "flatMapError", "flatMapError-throws":
            return response.flatMapError(transform.error).map { $0 as Any }
        default: throw Unplayed(id)
        }
    }

    private static func transformed(
        _ response: DownloadResponse<String>, _ text: String, _ id: String
    ) throws -> DownloadResponse<Any> {
        let transform = Transform(text, id.components(separatedBy: "/")[safe: 1] ?? "")
        switch transform.method {
        case "map": return response.map { (try? transform.value($0)) ?? -1 }.map { $0 as Any }
        case "flatMap", "flatMap-throws":
            return response.flatMap(transform.value).map { $0 as Any }
        case "mapError":
            return response.mapError { (try? transform.error($0)) ?? PlainError(tag: "?") }
                .map { $0 as Any }
        case "flatMapError", "flatMapError-throws":
            return response.flatMapError(transform.error).map { $0 as Any }
        default: throw Unplayed(id)
        }
    }

    // MARK: - Timelines

    private static func timeline(_ input: GoldenValue) -> GoldenValue {
        func instant(_ name: String) -> Double {
            switch input[name] {
            case .int(let seconds)?: Double(seconds)
            case .double(let seconds)?: seconds
            default: 0
            }
        }
        func seconds(_ seconds: Double) -> GoldenValue {
            Int(exactly: seconds).map { .int($0) } ?? .double(seconds)
        }
        let timeline = Timeline(
            requestStartTime: instant("requestStartTime"),
            initialResponseTime: instant("initialResponseTime"),
            requestCompletedTime: instant("requestCompletedTime"),
            serializationCompletedTime: instant("serializationCompletedTime"))
        return .object(
            texts(timeline).members.merging([
                "latency": seconds(timeline.latency),
                "requestDuration": seconds(timeline.requestDuration),
                "serializationDuration": seconds(timeline.serializationDuration),
                "totalDuration": seconds(timeline.totalDuration),
            ]) { $1 })
    }
}

extension Array {
    subscript(safe index: Int) -> Element? { indices.contains(index) ? self[index] : nil }
}
