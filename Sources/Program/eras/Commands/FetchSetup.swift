import CurlConnection
import Foundation
import FoundationNetworking
import HTTPSemantics
import OperationNetworking

/// Makes the settings of requests from the options, and reads the files that these name.
struct FetchSetup {
    let options: RequestOptions

    /// - Throws: `DiskError` for a file that cannot be read; `UsageError` for its contents, or an
    ///   option's value.
    func setup() throws -> TransferSetup {
        var setup = TransferSetup()
        setup.timeout = options.timeout
        setup.fields = options.fields.map { ($0.name, $0.value) }
        setup.configuration.connectTimeout = options.connectTimeout
        setup.login = try options.user.map(login)
        setup.netrc = try options.netrc.map { Netrc(try text(Self.expanded($0))) }
        setup.configuration.proxy = try proxy()
        setup.anchors = try options.authorities.map(authorities)
        setup.configuration.clientCertificate = try options.certificate.map(certificate)
        for file in options.cookies where Self.pairs(file) == nil {
            CookieText.cookies(try text(file)).forEach {
                setup.configuration.cookieStorage?.setCookie($0)
            }
        }
        try check(setup)
        return setup
    }

    /// Adds the cookies of the arguments, for the URLs' hosts.
    func addCookies(to setup: TransferSetup, for urls: [URL]) {
        for host in Set(urls.compactMap(\.host)) {
            for (name, value) in options.cookies.compactMap(Self.pairs).joined() {
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
    func end(_ setup: TransferSetup) throws {
        guard let jar = options.cookieJar else { return }
        let cookies = setup.configuration.cookieStorage?.cookies ?? []
        try NewFile(jar, mode: 0o600).save(Data(CookieText.text(cookies).utf8))
    }

    private func login(_ text: String) throws -> Netrc.Login {
        guard let colon = text.firstIndex(of: ":") else {
            throw Self.usage("-u needs a user and a password, as me:secret; or use --netrc.")
        }
        return Netrc.Login(
            user: String(text[..<colon]), password: String(text[text.index(after: colon)...]))
    }

    private func proxy() throws -> ProxySetting {
        guard let text = options.proxy else {
            return options.usesProxyEnvironment ? .environment : .direct
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

    private func authorities(_ path: String) throws -> [Certificate] {
        let certificates = (try? Certificate.all(pem: data(path))) ?? []
        guard !certificates.isEmpty else {
            _ = try data(path)
            throw Self.usage("--cacert needs certificates in PEM, and \(path) has none.")
        }
        return certificates
    }

    private func certificate(_ text: String) throws -> ClientCertificateCredential {
        var (path, password) = (text, "")
        if access(text, F_OK) != 0, let colon = text.lastIndex(of: ":") {
            path = String(text[..<colon])
            password = String(text[text.index(after: colon)...])
        }
        let file = try data(path)
        do {
            guard file.range(of: Data("-----BEGIN".utf8)) != nil else {
                return try ClientCertificateCredential(pkcs12: file, password: password)
            }
            return try ClientCertificateCredential(
                certificates: Certificate.all(pem: file), privateKey: options.key.map(data) ?? file)
        } catch let error as DiskError {
            throw error
        } catch {
            throw Self.usage("--cert cannot use \(path): \(error.localizedDescription)")
        }
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
