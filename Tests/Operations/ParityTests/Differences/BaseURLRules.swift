import Foundation
import ParitySupport

/// Why the URLs of a manager differ from their recordings, and how exactly.
enum BaseURLRules {
    static let all: [ParityRule] = [
        ParityRule(
            .wound(38), "A path that is no URL is an error, not an exception.",
            .on("b00/a b", with: "requestURL", "http://example.com/a%20b")
        ) {
            guard $0.output["reason"] == "Invalid parameter not satisfying: URLString",
                let path = $0.input["path"]?.string
            else { return nil }
            let error = GoldenValue.requestError(-1000, "'\(path)' is no URL")
            return .object(["baseURL": normalized($0.input["base"]?.string), "error": error])
        },
        ParityRule(
            .wound(59), "The query goes before the fragment.",
            .on("params/http://other.com/z?y=2#f", with: "requestURL", "http://other.com/z?y=2#f")
        ) {
            guard $0.input["params"] != nil, let resolved = $0.output["resolved"]?.string,
                let recorded = $0.output["requestURL"]?.string,
                let moved = QueryText.moved(recorded, from: resolved)
            else { return nil }
            return $0.changed(["requestURL": .string(moved)])
        },
        ParityRule(
            .wound(43), "A manager's copy keeps every setting.",
            .on(MadeUp.copy, with: "shouldUseCredentialStorage", .null)
        ) {
            BaseURLCases.isCopy($0) ? .object(BaseURLCases.copied($0)) : nil
        },
        ParityRule(
            .foundation, "Dots are removed as RFC 3986 section 5.2.4 says.",
            .on("b00/../foo", with: "requestURL", "http://example.com/")
        ) {
            guard $0.isFoundations, $0.input["params"] == nil,
                let resolved = $0.output["resolved"]?.string,
                $0.input["base"]?.string?.contains(":") == true
            else { return nil }
            let plain = GoldenValue.string(withoutDots(resolved))
            return $0.changed(["resolved": plain, "requestURL": plain])
        },
        ParityRule(
            .foundation, "A base without a scheme has no host to resolve against.",
            .on("oddbase/foo", with: "requestURL", "p")
        ) {
            guard $0.isFoundations, $0.input["params"] == nil,
                let base = $0.output["baseURL"]?.string, !base.contains(":"),
                let path = $0.input["path"]?.string
            else { return nil }
            // RFC 3986, section 5.2.3.
            let folder = base.prefix { !"?#".contains($0) }
            let merged = GoldenValue.string(
                (folder.lastIndex(of: "/").map { folder[...$0] } ?? "") + path)
            return $0.changed(["resolved": merged, "requestURL": merged])
        },
    ]

    /// The base with a slash behind its path (MG-1).
    private static func normalized(_ base: String?) -> GoldenValue {
        guard let base else { return .null }
        let head = base.prefix { !"?#".contains($0) }
        let place = head.range(of: "://")?.upperBound ?? head.startIndex
        let hasPath = head[place...].contains("/")
        guard hasPath, !base.hasSuffix("/"), !head.hasSuffix("/") else { return .string(base) }
        return .string(head + "/" + base[head.endIndex...])
    }

    /// The URL without the dots in its path (RFC 3986, section 5.2.4).
    private static func withoutDots(_ url: String) -> String {
        let head = url.prefix { !"?#".contains($0) }
        guard let authority = head.range(of: "://"),
            let start = head[authority.upperBound...].firstIndex(of: "/")
        else { return url }
        var kept: [Substring] = []
        let segments = head[start...].dropFirst().split(
            separator: "/", omittingEmptySubsequences: false)
        for segment in segments {
            if segment == ".." { _ = kept.popLast() }
            if segment != "." && segment != ".." { kept.append(segment) }
        }
        if let last = segments.last, last == "." || last == ".." { kept.append("") }
        return head[..<start] + "/" + kept.joined(separator: "/") + url[head.endIndex...]
    }
}
