import Foundation

extension Routes {
    mutating func addAuthorization() {
        addBasic()
        addDigest()
        add("/bearer", "JSON for any bearer token, or 401.") { request in
            let words = (request.headers["Authorization"] ?? "").split(separator: " ")
            guard words.count == 2, words[0] == "Bearer" else {
                return .refusal(401, [("WWW-Authenticate", "Bearer")])
            }
            return .json(object: ["authenticated": true, "token": String(words[1])])
        }
    }

    private mutating func addBasic() {
        for (prefix, refusal) in [("/basic-auth/", 401), ("/hidden-basic-auth/", 404)] {
            add(
                prefix, rest: "USER/PASS", "JSON for these Basic credentials, or \(refusal)."
            ) { rest, request, _ in
                let words = rest.split(separator: "/")
                guard words.count == 2 else { return .status(404) }
                let token = Data("\(words[0]):\(words[1])".utf8).base64EncodedString()
                if request.headers["Authorization"] == "Basic \(token)" {
                    return .json(object: ["authenticated": true, "user": String(words[0])])
                }
                let challenge = [("WWW-Authenticate", "Basic realm=\"Fake Realm\"")]
                return .refusal(refusal, refusal == 401 ? challenge : [])
            }
        }
    }

    private mutating func addDigest() {
        add(
            "/digest-auth/", rest: "QOP/USER/PASS",
            "JSON for these Digest credentials, or 401; /ALGORITHM/N may follow: MD5 or SHA-256, "
                + "and how many requests a nonce serves."
        ) { rest, request, state in
            let words = rest.split(separator: "/").map(String.init)
            guard 3...5 ~= words.count,
                let algorithm = DigestAlgorithm(rawValue: words.count > 3 ? words[3] : "MD5")
            else { return .status(404) }
            let authentication = DigestAuthentication(
                quality: words[0], user: words[1], password: words[2], algorithm: algorithm,
                uses: words.count > 4 ? Int(words[4]) : nil)
            switch authentication.judge(request, state) {
            case .right:
                return .json(object: ["authenticated": true, "user": authentication.user])
            case .wrong:
                return .refusal(401, [authentication.challenge(state, isStale: false)])
            case .stale:
                return .refusal(401, [authentication.challenge(state, isStale: true)])
            case .malformed:
                return .refusal(400, [])
            case .tooLong:
                let limit = RecordedRequest.keptBodyLimit
                return .text(
                    "auth-int is checked for bodies of at most \(limit) bytes.", status: 413)
            }
        }
    }
}

extension ScriptedResponse {
    fileprivate static func refusal(_ status: Int, _ fields: [(String, String)]) -> ScriptedResponse
    {
        .data(Data(), status: status, headers: fields, contentType: "text/html; charset=utf-8")
    }
}
