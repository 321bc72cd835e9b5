import CCurl
import Foundation

/// The pair of sockets or the pipe by which each multi handle can be woken.
///
/// libcurl 7.88 makes it so that a program that the process executes gets both ends, and shows them to nobody.
enum WakeUpPair {
    /// Makes a multi handle, and keeps its pair from executed programs. One that is executed during this call may
    /// get it.
    ///
    /// The ends are found by what they do: where they have come since, and a byte of libcurl's is between them.
    static func hidden(_ make: () -> UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let before = inherited()
        guard let multi = make() else { return nil }
        let new = inherited().subtracting(before).filter { ccurl_bytes_between($0) == 0 }
        guard !new.isEmpty, curl_multi_wakeup(multi) == CURLM_OK else { return multi }
        for end in new where ccurl_bytes_between(end) > 0 {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
        }
        // libcurl reads its byte.
        var ready: Int32 = 0
        curl_multi_poll(multi, nil, 0, 0, &ready)
        return multi
    }

    /// The pairs and pipes that an executed program gets.
    private static func inherited() -> Set<Int32> {
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        let open = names?.compactMap { Int32($0) } ?? []
        return Set(
            open.filter { number in
                let flags = fcntl(number, F_GETFD)
                return flags >= 0 && flags & FD_CLOEXEC == 0 && ccurl_bytes_between(number) >= 0
            })
    }
}
