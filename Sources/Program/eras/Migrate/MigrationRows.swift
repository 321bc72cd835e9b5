// swift-format-ignore-file
// Written from the tables of MIGRATION.md and Documentation/Migration by scripts/update-renames; change that.

/// Rows of tables; a line that begins with # has the page and the heading of those that follow.
enum MigrationRows {
    static let text = #"""
# MIGRATION.md#What does not compile
| `inputStream` as not optional | an `InputStream?` |
| `SecTrust`, `SecCertificate` by name | `ServerTrust`, `Certificate` |
| an initializer of a subclass's own | `required init?(coder: NSCoder)` beside it, as in the original; a copy is made by it, with a coder that has no values |
| `override init()` of a serializer | `required` in place of `override` |
| a block that touches a `@MainActor` class, in a verb, `httpRequestOperation` or a progress setter | `MainActor.assumeIsolated { … }` inside: these blocks come on main, unless a `completionQueue` is set; with one, `Task { @MainActor in … }` |
| members of an `AnyObject`, such as `(json as AnyObject).value(forKeyPath:)`; `NSSet` as a `Set` without `as!` | Swift on Linux has neither: a cast, `(json as! NSDictionary).value(forKeyPath:)`; `as!` |
| `Foundation.URLSession`, `Foundation.URLRequest` | leave `Foundation.` out: the module of that name has neither on Linux |
| `objc_sync_enter`, `objc_sync_exit`, `autoreleasepool` | an `NSRecursiveLock`; the block alone |
| `override func responseObject(for:data:error:)`, or a class of your own with it | `responseObject(for:data:)`, which returns a `SerializedResponse` |
| `override func request(bySerializingRequest:withParameters:error:)`, or a class of your own with it | `request(bySerializing:with:)`, which throws |
| `override func request(withMethod:urlString:parameters:error:)`, likewise multipart | `request(method:urlString:parameters:)`, which throws |
| an override of a verb or of `httpRequestOperation` with plain blocks, in Swift 6 mode | `Success?` and `Failure?`; in Swift 5 mode the plain ones compile |
| 2.x's `request(withMethod:urlString:parameters:)` without `error:` | `try` before it: it throws, as 4.x's does |
| an override of `urlSession(_:…)`, which a session manager had as its session's delegate | the block for it: `setTaskDidComplete(_:)`, `setDataTaskDidReceiveDataBlock(_:)` and the others |
| a subclass of `AFSecurityPolicy` | the policy is final: its pins, `anchorCertificates` and `certificateRevocationLists`, or a challenge block that judges the server's trust |
| a member of `SessionTask` on what a call returned, under `import AFNetworking` | the type, `let task: SessionDataTask? = …`: where both fit, such a call gives Foundation's type |
| an override of a session manager's method with Foundation's tasks | `SessionDataTask`, `SessionUploadTask`, `SessionDownloadTask`; of the verbs, `dataTask(withHTTPMethod:…)` alone can be overridden |
| a session manager's verb with `failure:` alone: `manager.get("x", failure: { … })` | `manager.get("x", success: nil, failure: { … })` |
| a verb or a `download` without a block whose operation is used: `let operation = manager.put("x")` | `try await manager.put("x")`, since it is the awaited one everywhere; `manager.put("x", success: nil)` for the operation |
| `progress: &progress` of 2.x's session manager | a block, or `downloadProgress(for:)` |
| a session manager's `responseSerializer` that is none for HTTP | a subclass of `HTTPResponseSerializer` |
| `AFNetworkReachabilityManager(reachability:)` | `init(domain:)` or `init(address:)` |
| `addObserver(_:selector:name:object:)`, `@objc`, `#selector` | the form with a block; there are no selectors on Linux |
| `NSHashTable`, `NSMapTable` of tasks | a `Set`, or a dictionary; Foundation on Linux has neither |
| `CFStringConvertEncodingToIANACharSetName`, other functions of CoreFoundation | the charset's name as text; `import CoreFoundation` has them on Linux, and no `as` makes a `String` of a `CFString` there |
| `UIImage`, `UIImageView`, `UIButton` | `DecodedImage`, and views of yours that are `ImageDisplaying` or `KeyedImageDisplaying`; [more](Documentation/Migration/Images.md) |
# MIGRATION.md#What compiles and differs
| no block is ever called | blocks come on the main queue, and on Linux a program's main thread does not serve it by itself | `dispatchMain()` or `RunLoop.main.run()` at the end of `main`, or a `completionQueue`; progress stays on main |
| more requests at once than the limit says | each `AFHTTPRequestOperationManager()` has a queue of its own, now as then | keep one manager, or give several the same `operationQueue` |
| 404, and the base URL's path is missing | a path that begins with a slash drops it (MG-2) | leave the slash out |
| an observer of `isFinished` is never called | there is no key-value observing on Linux | `completionBlock`, or the notifications |
| a cast of `responseObject` traps | it is nil for an empty body, which counts as success (defect 36) | `as?` |
| `responseObject` prints as `Optional(…)` | a block typed `Any` receives an `Any?` | leave the type out |
| a pinned policy refuses every server | the policy does not search a bundle for certificates | `SecurityPolicy.pinning(_:to:)` with `certificates(in:)`, or set `pinnedCertificates` |
| `allowInvalidCertificates` still refuses a host | it trusts the chain, not another name (defect 4); with pins, no expired one either | `validatesDomainName = false` |
| a dependent operation runs before the first one's `success` | blocks come after `isFinished` (defect 24) | start it in the block, or take `batch`; with `finishesAfterSerialization` it finds the object |
| callbacks come in another order than requests went out | serializers work at once on several threads, on a queue of the library's own (HO-4, HO-5), now as then | `maxConcurrentOperationCount = 1` and `completesInOrder` |
| `operation.error` is nil after a 500 | without a completion block the response was not serialized yet (HO-1, HO-2) | read `responseObject` first |
| `responseData` is nil after a download | the bytes went to the `outputStream` you set | read the file; [`download(_:to:)`](Documentation/Downloads.md) also checks it |
| a batch's progress has the same number twice | it counts the operations that have finished by then, now as then (BA-5) | nothing |
| `parse()` of a broken feed returns true | Foundation's `XMLParser` on Linux, for XML that ends early | look at `parserError` and at what was parsed |
| a redirect block typed `URLResponse` is not asked about the first request | there is no response to pass | write `URLResponse?` |
| a request that could not be built has no `http` URL | the old type allows no nil | look at `error`, or take the throwing form |
| all blocks stop after an observer with `queue: .main` | under `dispatchMain()` Foundation blocks the main thread to wait for the main queue | `queue: nil`: notifications come on main anyway; or `RunLoop.main.run()` |
| `pinnedCertificates as? [Data]` is nil | without a type it is `[Certificate]` | `[Any]`, or `map(\.der)` |
| `allHeaderFields["ETag"]` is nil | Foundation on Linux changes the case of some names (`Etag`), and its dictionary is case-sensitive | `value(forHTTPHeaderField:)` |
| a redirect fails with -1022 | it leads from https to http (defect 65) | correct the URL, or `configuration.followsRedirectsFromHTTPSToHTTP` |
| a large body fails with -1103 | it is collected in memory, at most 64 MiB | an `outputStream`, or `configuration.limits.bodyInMemory` |
| a login is gone after a restart | cookies and credentials live in memory | `CookieStorage(file:)`; keep credentials yourself |
| `URLCache.shared`, `HTTPCookieStorage.shared` or `URLCredentialStorage.shared` stay empty | they are not used | the types of ["Apple's own types"](Documentation/Migration/Names.md#apples-own-types) |
| `code == NSURLErrorServerCertificateUntrusted` is false, or true of another error | Foundation on Linux has the seven constants from `NSURLErrorSecureConnectionFailed` to `NSURLErrorClientCertificateRequired` one too low (-1201 to -1207 in place of -1200 to -1206); our errors have the right numbers | `URLError.Code`, whose numbers are right: `(error as? URLError)?.code == .serverCertificateUntrusted`, or its `rawValue` |
| a counter that a block increments is sometimes wrong | Swift 5 mode does not check what blocks share | Swift 6 mode reports it |
# Documentation/Migration/Sessions.md#What compiles and differs
| a verb never ends behind a semaphore on the main thread | its blocks come on the main queue, which that thread would have to serve; now as then | `await`, or a `completionQueue` other than main |
| `userInfo[AFNetworkingTaskDidCompleteErrorKey] as? URLError` is nil | the fact is an `NSError`, as it always was, and on Linux none is cast to a Swift error | `as? NSError`, its domain and code |
| `notification.object as? URLSessionTask` is nil, an observer with `object: task` hears nothing | the object is the manager's own task | `as? SessionTask`; its `originalRequest`, `response` and `taskIdentifier` are those of Foundation's type |
| `manager.tasks as! [URLSessionTask]` traps | without a type it is `[SessionTask]` | `let tasks: [URLSessionTask] = manager.tasks` |
| `transport: .foundation` does not compile | Foundation's session carries no task any more | nothing in its place; for a mock of `URLProtocol` `protocolClasses` of the configuration |
| `task.urlSessionTask` is nil | no task is Foundation's; `manager.session.getAllTasks` shows a stand-in of each, to cancel, suspend and resume it | the methods of `SessionTask` |
| a download fails whose file could not be moved | AFNetworking called that a success | another destination, or `reportsFailedMoveAsSuccess` |
# Documentation/Migration/Names.md#Apple's own types
| `NSHTTPCookieStorage` | `CookieStorage`, `configuration.cookieStorage` | `cookies`, `cookies(for:)`, `setCookie(_:)`, `deleteCookie(_:)`, `removeCookies(since:)`, `cookieAcceptPolicy`; `CookieStorage(mirroring:)` works on Foundation's |
| `NSURLCache` | `ResponseCache`, `configuration.responseCache` | `cachedResponse(for:)`, `removeCachedResponse(for:)`, `removeAllCachedResponses()`, the capacities, the usages; what an answer allows is judged here, so nothing can be put in by hand; `explain(_:at:)` says why |
| `NSURLCredentialStorage` | `CredentialStorage`, `configuration.credentialStorage` | `set(_:for:)`, `credentials(for:)`, `defaultCredential(for:)`, `setDefaultCredential(_:for:)`, `remove(_:for:)`; in memory only |
| `NSURLCredential` with an identity | `ClientCertificateCredential` | from PKCS#12, or from certificates and a key; as `credential`, in a challenge, or `configuration.clientCertificate` |
| `distinguishedNames` of a protection space | `clientCertificateIssuers` | |
| the system's proxies, `connectionProxyDictionary` | `configuration.proxy`: `ProxySetting`, `Proxy` | `ProxySetting(connectionProxyDictionary:)` reads the same keys; without a setting there is none |
| `HTTPMaximumConnectionsPerHost` | `configuration.httpMaximumConnectionsPerHost` | 6; `maximumConnections` is for all |
| - | `configuration.limits`: `LoadLimits`, `LoadLimitError` | redirects, body in memory, unpacking, head |
"""#
}
