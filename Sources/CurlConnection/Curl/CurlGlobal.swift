import CCurl
import COpenSSL
import Foundation
import Synchronization

/// libcurl's process-wide state: initialised once, asked for its version, and closed safely at
/// exit.
///
/// ## Concurrency
/// Call from: any thread. Lock: none; two atomics.
enum CurlGlobal {
    /// Initialises libcurl on first use; every owner of a handle touches this first.
    ///
    /// A thread inside TLS crashes the process when OpenSSL frees its tables at exit. So OpenSSL is
    /// told to keep them. That comes too late where other code called OpenSSL before. So an exit
    /// handler, registered after libcurl's initialisation, runs before OpenSSL frees its tables.
    static let isReady: Bool = {
        copenssl_stay_through_exit()
        let isReady = curl_global_init(ccurl_global_all) == CURLE_OK
        atexit { CurlGlobal.closeForExit() }
        return isReady
    }()

    /// The version of libcurl, such as "7.88.1".
    static var version: String {
        ccurl_version().map { String(cString: $0.pointee.version) } ?? "unknown"
    }

    /// Whether the size of a request counts its body, as libcurl 8.7 and later have it.
    static let countsBodiesInRequests =
        ccurl_version().map { $0.pointee.version_num >= 0x08_07_00 } ?? false

    /// Whether this libcurl can authenticate by NTLM.
    static var hasNTLM: Bool { hasFeature(CURL_VERSION_NTLM) }

    /// Whether this libcurl can authenticate by Negotiate.
    static var hasNegotiate: Bool { hasFeature(CURL_VERSION_SPNEGO) }

    private static func hasFeature(_ bit: Int32) -> Bool {
        ccurl_version().map { $0.pointee.features & bit != 0 } ?? false
    }

    private static let threadsInside = Atomic<Int>(0)
    private static let isClosed = Atomic<Bool>(false)

    /// Runs `body` unless the process is exiting; the exit waits for the threads inside.
    static func whileOpen(_ body: () -> Void) {
        threadsInside.add(1, ordering: .sequentiallyConsistent)
        if !isClosed.load(ordering: .sequentiallyConsistent) {
            let wasInside = ThreadMark.isInside
            ThreadMark.isInside = true
            body()
            ThreadMark.isInside = wasInside
        }
        threadsInside.subtract(1, ordering: .sequentiallyConsistent)
    }

    /// Lets no thread enter libcurl any more, and waits at most two seconds for the threads inside.
    private static func closeForExit() {
        isClosed.store(true, ordering: .sequentiallyConsistent)
        let own = ThreadMark.isInside ? 1 : 0
        for _ in 0..<2_000 where threadsInside.load(ordering: .sequentiallyConsistent) > own {
            usleep(1_000)
        }
    }
}

/// Whether this thread is inside libcurl. A call to `exit` from a callback does not wait for its own
/// thread.
private enum ThreadMark {
    private static let key: pthread_key_t = {
        var key = pthread_key_t()
        pthread_key_create(&key, nil)
        return key
    }()

    static var isInside: Bool {
        get { pthread_getspecific(key) != nil }
        set { pthread_setspecific(key, newValue ? UnsafeRawPointer(bitPattern: 1) : nil) }
    }
}
