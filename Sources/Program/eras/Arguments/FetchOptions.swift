import Foundation
import HTTPSemantics

/// The options of `eras fetch`.
struct FetchOptions: CommandOptions {
    var urls: [String] = []
    var sources: [URLSource] = []
    var output = "."
    var usesServerNames = false
    var haveQueries = false
    var usesServerTimes = false
    var isRefresh = false
    var skipsExisting = false
    var sum: FileSum?
    var sums: String?
    var failed: String?
    var shard = Shard.whole
    var jobs = 4
    var segments = 1
    /// Nil for the library's default.
    var minimumSegment: Int64?
    var retries = 2
    /// Nil for a random time that grows; 0 means the same, as with curl.
    var retryDelay: Double? { didSet { if retryDelay == 0 { retryDelay = nil } } }
    var isCompressed = false
    var maxTime: Double?
    /// Seconds between the starts of two files.
    var wait: Double?
    /// The least bytes a second, on the average of `speedTime` seconds.
    var leastSpeed: Int64?
    var speedTime = 30.0
    var isForced = false
    var isJSON = false
    var isQuiet = false
    var trace: String?
    var har: String?
    var html: String?
    var requests = RequestOptions()

    static let topic = HelpTopic.fetch
    static let help = HelpText.fetch
    static var table: KeyValuePairs<String, OptionValue<Self>> {
        [
            "--output": .set(\.output, .path),
            "--remote-name": .nothing,
            "--remote-header-name": .flag(\.usesServerNames),
            "--input": .add(\.sources, .list),
            "--shard": .set(\.shard, .shard),
            "--query-names": .flag(\.haveQueries),
            "--remote-time": .flag(\.usesServerTimes),
            "--timestamping": .flag(\.isRefresh),
            "--skip-existing": .flag(\.skipsExisting),
            "--failed": .set(\.failed, .file("a file for the addresses that failed")),
            "--sha256": .set(\.sum, .sum(.sha256)),
            "--sha512": .set(\.sum, .sum(.sha512)),
            "--md5": .set(\.sum, .sum(.md5)),
            "--sums": .set(\.sums, .text("a file of sums, as sha256sum writes it")),
            "--force": .flag(\.isForced),
            "--jobs": .set(\.jobs, .number(1...256)),
            "--segments --split": .set(\.segments, .number(1...16)),
            "--min-split-size": .set(\.minimumSegment, .size),
            "--limit-rate": .set(\.requests.rate, .size),
            "--retries --retry": .set(\.retries, .number(0...100)),
            "--retry-delay": .set(\.retryDelay, .secondsOrNone),
            "--timeout": .set(\.requests.timeout, .seconds),
            "--connect-timeout": .set(\.requests.connectTimeout, .seconds),
            "--max-time": .set(\.maxTime, .seconds),
            "--speed-limit": .set(\.leastSpeed, .size),
            "--speed-time": .set(\.speedTime, .seconds),
            "--wait": .set(\.wait, .seconds),
            "--header": .add(\.requests.fields, .field),
            "--user-agent": .add(\.requests.fields, .field("User-Agent", "a name")),
            "--referer": .add(\.requests.fields, .field("Referer", "an address")),
            "--compressed": .flag(\.isCompressed),
            "--user": .set(\.requests.user, .text("a user and a password, as me:secret")),
            "--netrc": .flag(\.requests.netrc, "~/.netrc"),
            "--netrc-file": .set(\.requests.netrc, .text("a file of users and passwords")),
            "--cookie": .add(\.requests.cookies, .text("cookies, as a=1, or a file")),
            "--cookie-jar": .set(\.requests.cookieJar, .text("a file for the cookies")),
            "--proxy": .set(\.requests.proxy, .text("a proxy, as http://host:8080")),
            "--proxy-env": .flag(\.requests.usesProxyEnvironment),
            "--cacert": .set(\.requests.authorities, .text("a file of certificates in PEM")),
            "--cert": .set(
                \.requests.certificate, .text("a certificate's file, PEM or PKCS#12")),
            "--key": .set(\.requests.key, .text("the file of the certificate's key")),
            "--json": .flag(\.isJSON),
            "--quiet": .flag(\.isQuiet),
            "--trace": .set(\.trace, .text("a file for the trace")),
            "--har": .set(\.har, .text("a file for the exchanges")),
            "--html": .set(\.html, .text("a file for the page")),
        ]
    }

    var isToOutput: Bool { output == NewFile.standardOutput }

    /// Whether `-o` names the one file, and no directory.
    var namesFile: Bool {
        guard urls.count == 1, sources.isEmpty, !isToOutput, !output.hasSuffix("/") else {
            return false
        }
        var isDirectory: ObjCBool = false
        let exists = FileManager.default.fileExists(atPath: output, isDirectory: &isDirectory)
        return !(exists && isDirectory.boolValue)
    }

    /// The directory of the files.
    var directory: String {
        if isToOutput { return "." }
        guard namesFile else { return output }
        let folder = output[..<(output.lastIndex(of: "/") ?? output.startIndex)]
        return folder.isEmpty ? (output.hasPrefix("/") ? "/" : ".") : String(folder)
    }

    /// The name that `-o` gives the one file.
    var fileName: String? {
        namesFile ? output.split(separator: "/").last.map(String.init) : nil
    }

    mutating func take(_ operand: String, _ reader: ArgumentReader) {
        if operand == "-" { sources.append(.standardInput) } else { urls.append(operand) }
    }

    func command(_ reader: ArgumentReader) throws(UsageError) -> Command {
        if isToOutput, isJSON {
            throw reader.usage("-o - and --json both write to standard output; choose one.")
        }
        if let sum, sums != nil {
            let name = "--" + sum.kind.rawValue.lowercased()
            throw reader.usage("\(name) is for one file and --sums for many; choose one.")
        }
        if isForced, isRefresh || skipsExisting {
            let other = isRefresh ? "--timestamping" : "--skip-existing"
            throw reader.usage("--force and \(other) contradict each other; choose one.")
        }
        if isRefresh, sum != nil || sums != nil {
            throw reader.usage("--timestamping and a sum contradict each other; choose one.")
        }
        if requests.key != nil, requests.certificate == nil {
            throw reader.usage("--key belongs to a certificate; name that with --cert.")
        }
        return .fetch(self)
    }

}

extension ValueKind<String> {
    fileprivate static var path: Self {
        let meaning = "a directory, or the name of the one file"
        return Self(meaning, refusal: { _ in meaning }) { $0.isEmpty ? nil : $0 }
    }
}

extension ValueKind<String> {
    /// Not standard output, because a list of a server may have control characters.
    fileprivate static func file(_ meaning: String) -> Self {
        Self(meaning) { $0 == NewFile.standardOutput ? nil : $0 }
    }
}

extension ValueKind<FileSum> {
    fileprivate static func sum(_ kind: FileSum.Kind) -> Self {
        Self("\(2 * kind.length) hexadecimal digits") { text in
            FileSum(text).flatMap { $0.kind == kind ? $0 : nil }
        }
    }
}

extension ValueKind<Shard> {
    fileprivate static var shard: Self {
        Self("a number and how many there are, from 1/1 on") { Shard($0) }
    }
}
