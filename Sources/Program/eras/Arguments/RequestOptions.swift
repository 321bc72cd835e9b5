import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// The options of `eras fetch` that concern its requests and connections.
struct RequestOptions: Equatable {
    struct Field: Equatable {
        var name: String
        var value: String
    }

    var timeout = 60.0
    var connectTimeout: Double?
    /// Bytes a second for all files together.
    var rate: Int64?
    var fields: [Field] = []
    /// User and password, separated by a colon.
    var user: String?
    var netrc: String?
    /// Pairs of cookies, or paths of files with cookies.
    var cookies: [String] = []
    var cookieJar: String?
    var proxy: String?
    var usesProxyEnvironment = false
    var authorities: String?
    /// The file of the client's certificate, with its password after a colon.
    var certificate: String?
    var key: String?
}

extension RequestOptions {
    /// The settings of requests. It reads the files that the options name.
    ///
    /// - Throws: `DiskError` for a file that cannot be read; `UsageError` for its contents, or an
    ///   option's value.
    func setup() throws -> TransferSetup {
        var setup = TransferSetup()
        setup.timeout = timeout
        setup.fields = fields.map { ($0.name, $0.value) }
        setup.configuration.connectTimeout = connectTimeout
        setup.login = try user.map(login)
        setup.netrc = try netrc.map(logins)
        setup.configuration.proxy = try proxySetting()
        setup.anchors = try authorities.map(certificates)
        setup.configuration.clientCertificate = try certificate.map(credential)
        for file in cookies where Self.pairs(file) == nil {
            CookieText.cookies(try text(file)).forEach {
                setup.configuration.cookieStorage?.setCookie($0)
            }
        }
        try check(setup)
        return setup
    }

    /// The files that it reads.
    var inputs: [String] {
        let paths = [
            netrc.map(Self.expanded), authorities, certificate.map { Self.split($0).path }, key,
        ]
        return paths.compactMap { $0 } + cookies.filter { Self.pairs($0) == nil }
    }

    /// Adds the cookies of the arguments, for the URLs' hosts.
    func addCookies(to setup: TransferSetup, for urls: [URL]) {
        for host in Set(urls.compactMap(\.host)) {
            for (name, value) in cookies.compactMap(Self.pairs).joined() {
                let cookie = HTTPCookie(properties: [
                    .name: name, .value: value, .domain: host, .path: "/",
                ])
                cookie.map { setup.configuration.cookieStorage?.setCookie($0) }
            }
        }
    }

    /// The pairs of a `--cookie`; nil where it names a file.
    private static func pairs(_ text: String) -> [(name: String, value: String)]? {
        access(text, F_OK) == 0 ? nil : CookieText.pairs(text)
    }

    /// - Throws: `UsageError` for header fields that cannot be sent.
    private func check(_ setup: TransferSetup) throws {
        guard let url = URL(string: "http://localhost/") else { return }
        do {
            try RequestValidation.checkForSending(setup.request(url))
        } catch {
            let reason = (error as? URLError)?.userInfo[NSLocalizedDescriptionKey] as? String
            throw Self.usage("-H: \(reason ?? error.localizedDescription)")
        }
    }

    /// Writes the cookies, also after a failure.
    ///
    /// - Throws: `DiskError`.
    func saveCookies(of setup: TransferSetup) throws {
        guard let jar = cookieJar else { return }
        let cookies = setup.configuration.cookieStorage?.cookies ?? []
        try NewFile(jar, isPrivate: true).save(CookieText.text(cookies))
    }

    private func login(_ text: String) throws -> Netrc.Login {
        guard let colon = text.firstIndex(of: ":") else {
            throw Self.usage("-u needs a user and a password, as me:secret; or use --netrc.")
        }
        return Netrc.Login(
            user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }

    private func logins(_ path: String) throws -> Netrc {
        let text = try text(Self.expanded(path))
        do throws(NetrcError) {
            return try Netrc(text)
        } catch {
            throw Self.usage(
                "In line \(error.line) of \(path) a value is missing, or a quote does not end; write a "
                    + "value that is a keyword in quotes.")
        }
    }

    private func proxySetting() throws -> ProxySetting {
        guard let text = proxy else {
            return usesProxyEnvironment ? .environment : .direct
        }
        let whole = text.contains("://") ? text : "http://" + text
        do {
            guard let url = WrittenURL.url(whole) else { throw UnusableURL(description: "") }
            return .fixed(try Proxy(url: url))
        } catch {
            let reason = (error as? ProxyError).map { " " + $0.localizedDescription } ?? ""
            throw Self.usage(
                "--proxy needs a proxy, as http://host:8080 or socks5h://host.\(reason)")
        }
    }

    private func certificates(_ path: String) throws -> [Certificate] {
        let certificates = (try? Certificate.all(pem: data(path))) ?? []
        guard !certificates.isEmpty else {
            _ = try data(path)
            throw Self.usage("--cacert needs certificates in PEM, and \(path) has none.")
        }
        return certificates
    }

    private func credential(_ text: String) throws -> ClientCertificateCredential {
        let (path, password) = Self.split(text)
        let file = try data(path)
        do {
            guard file.range(of: Data("-----BEGIN".utf8)) != nil else {
                return try ClientCertificateCredential(pkcs12: file, password: password)
            }
            return try ClientCertificateCredential(
                certificates: Certificate.all(pem: file), privateKey: key.map(data) ?? file)
        } catch let error as DiskError {
            throw error
        } catch {
            throw Self.usage("--cert cannot use \(path): \(error.localizedDescription)")
        }
    }

    /// The file of a `--cert`, and its password.
    private static func split(_ text: String) -> (path: String, password: String) {
        guard access(text, F_OK) != 0, let colon = text.lastIndex(of: ":") else {
            return (text, "")
        }
        return (String(text[..<colon]), String(text[text.index(after: colon)...]))
    }

    private func text(_ path: String) throws -> String {
        String(decoding: try data(path), as: UTF8.self)
    }

    private func data(_ path: String) throws -> Data { Data(try InputFile(path).read()) }

    private static func expanded(_ path: String) -> String {
        guard path.hasPrefix("~/") else { return path }
        return (ProcessInfo.processInfo.environment["HOME"] ?? "") + path.dropFirst()
    }

    private static func usage(_ sentence: String) -> UsageError {
        UsageError(sentence: sentence, topic: .fetch)
    }
}

extension ValueKind<RequestOptions.Field> {
    static var field: Self {
        let meaning = "a header field on one line, as \"Accept: text/plain\""
        return Self(meaning, refusal: { _ in meaning }) { text in
            guard let colon = text.firstIndex(of: ":"), colon != text.startIndex, isOneLine(text),
                !text[..<colon].contains(where: \.isWhitespace)
            else { return nil }
            let value = text[text.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            return RequestOptions.Field(name: String(text[..<colon]), value: String(value))
        }
    }

    /// The value of a given field.
    static func field(_ name: String, _ meaning: String) -> Self {
        let refusal = "\(meaning) on one line, without control characters"
        return Self(meaning, refusal: { _ in refusal }) { text in
            isOneLine(text) ? RequestOptions.Field(name: name, value: text) : nil
        }
    }

    private static func isOneLine(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }
}
