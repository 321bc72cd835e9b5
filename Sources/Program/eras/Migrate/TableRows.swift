import Foundation

/// Rows of the migration guide's tables, and the names in sources to which they apply.
struct TableRows {
    struct Row: Hashable {
        let page: String
        let heading: String
        let cells: [String]

        var text: String {
            "\"\(heading)\": \(cells.first ?? ""): "
                + cells.dropFirst().filter { !$0.isEmpty }.joined(separator: "; ")
        }
    }

    let all: [Row]

    /// - Parameter text: the rows of each table, after a line "# PAGE#HEADING".
    init(_ text: String = MigrationRows.text) {
        var page = ""
        var heading = ""
        var rows: [Row] = []
        for line in text.split(separator: "\n") {
            if line.hasPrefix("# ") {
                let parts = line.dropFirst(2).split(separator: "#", maxSplits: 1)
                page = String(parts[0])
                heading = parts.count > 1 ? String(parts[1]) : ""
            } else {
                let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
                rows.append(Row(page: page, heading: heading, cells: cells.map(Self.plain)))
            }
        }
        all = rows
    }

    /// A cell without its links.
    private static func plain(_ cell: String) -> String {
        cell.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.1) }
    }

    /// The row whose first cell begins with a text.
    func row(_ start: String) -> Row? {
        all.first { $0.cells.first?.hasPrefix(start) == true }
    }

    /// The beginning of a row's first cell, and the names to which the row applies. A name may end with
    /// *, as a prefix. After "func" it is a method's, after "class:" a superclass's.
    static let triggers: [(start: String, names: [String])] = [
        ("`inputStream` as", ["inputStream"]),
        ("`SecTrust`, `SecC", ["SecTrust*", "SecCertificate*", "SecKey*", "SecPolicy*"]),
        ("an initializer of a subclass", ["class:init"]),
        (
            "`override init()` of",
            ["class:AFHTTPRequestSerializer", "class:AFHTTPResponseSerializer"]
        ),
        ("members of an `AnyObject`", ["valueForKeyPath:", "value(forKeyPath:)", "NSSet"]),
        ("`Foundation.URLSession`", ["Foundation.URLSession", "Foundation.URLRequest"]),
        (
            "`objc_sync_enter`",
            ["objc_sync_enter", "objc_sync_exit", "autoreleasepool", "synchronized"]
        ),
        (
            "`override func responseObject",
            ["func responseObjectForResponse:data:error:", "func responseObject(for:data:error:)"]
        ),
        (
            "`override func request(bySer",
            [
                "func requestBySerializingRequest:withParameters:error:",
                "func request(bySerializingRequest:withParameters:error:)",
            ]
        ),
        (
            "`override func request(withM",
            [
                "func requestWithMethod:URLString:parameters:error:",
                "func request(withMethod:urlString:parameters:error:)",
                "func multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:",
                "func multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:error:)",
            ]
        ),
        (
            "2.x's `request(withMethod",
            [
                "requestWithMethod:URLString:parameters:",
                "request(withMethod:urlString:parameters:)",
            ]
        ),
        ("an override of `urlSession", ["func URLSession:*", "func urlSession(*"]),
        ("a subclass of `AFSecurityPolicy`", ["class:AFSecurityPolicy"]),
        (
            "an override of a session manager",
            ["class:AFHTTPSessionManager", "class:AFURLSessionManager"]
        ),
        ("`progress: &progress`", ["&progress"]),
        (
            "`AFNetworkReachabilityManager(reach",
            ["initWithReachability:", "AFNetworkReachabilityManager(reachability:)"]
        ),
        (
            "`addObserver(_:selector:",
            [
                "addObserver:selector:name:object:", "addObserver(_:selector:name:object:)",
                "@objc", "@selector", "#selector", "NSSelectorFromString",
            ]
        ),
        ("`NSHashTable`", ["NSHashTable", "NSMapTable"]),
        ("`CFStringConvertEnc", ["CFString*"]),
        ("`UIImage`, `UIImageView`", ["UIImage", "UIImageView", "UIButton"]),
        (
            "an observer of `isFinished`",
            [
                "addObserver:forKeyPath:options:context:",
                "addObserver(_:forKeyPath:options:context:)", "observeValueForKeyPath*",
                "keyPathsForValuesAffecting*",
            ]
        ),
        ("a pinned policy refuses", ["policyWithPinningMode:", "AFSSLPinningMode*"]),
        (
            "`allowInvalidCertificates` still",
            ["allowInvalidCertificates", "setAllowInvalidCertificates:"]
        ),
        ("a dependent operation runs", ["addDependency:", "addDependency(_:)"]),
        ("`responseData` is nil after", ["outputStream", "setOutputStream:"]),
        ("a batch's progress", ["batchOfRequestOperations*", "batch(ofRequestOperations*"]),
        ("`parse()` of a broken", ["NSXMLParser", "XMLParser", "AFXMLParserResponseSerializer"]),
        ("a redirect block typed", ["setRedirectResponseBlock:", "setRedirectResponseBlock(_:)"]),
        (
            "all blocks stop after",
            [
                "addObserverForName:object:queue:usingBlock:",
                "addObserver(forName:object:queue:using:)", "addObserver(forName:object:queue:)",
            ]
        ),
        ("`pinnedCertificates as? [Data]`", ["pinnedCertificates", "setPinnedCertificates:"]),
        ("`allHeaderFields[", ["allHeaderFields"]),
        (
            "`URLCache.shared`",
            [
                "sharedURLCache", "sharedHTTPCookieStorage", "sharedCredentialStorage",
                "URLCache.shared", "HTTPCookieStorage.shared", "URLCredentialStorage.shared",
            ]
        ),
        ("`NSHTTPCookieStorage`", ["NSHTTPCookieStorage", "HTTPCookieStorage"]),
        ("`NSURLCache`", ["NSURLCache", "URLCache"]),
        ("`NSURLCredentialStorage`", ["NSURLCredentialStorage", "URLCredentialStorage"]),
        ("the system's proxies", ["connectionProxyDictionary"]),
        (
            "`HTTPMaximumConn",
            ["HTTPMaximumConnectionsPerHost", "httpMaximumConnectionsPerHost"]
        ),
        (
            "`code == NSURLErrorServer",
            [
                "NSURLErrorSecureConnectionFailed", "NSURLErrorServerCertificate*",
                "NSURLErrorClientCertificate*",
            ]
        ),
        ("a verb never ends behind", ["dispatch_semaphore_wait", "DispatchSemaphore"]),
        ("`userInfo[AFNetworkingTaskDidC", ["AFNetworkingTaskDidCompleteErrorKey"]),
        ("`manager.tasks as! [URLS", ["dataTasks", "uploadTasks", "downloadTasks"]),
    ]
}
