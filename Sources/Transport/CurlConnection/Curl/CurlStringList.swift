import CCurl

/// Owner of one of libcurl's string lists, such as the lines of a request's head.
///
/// ## Concurrency
/// Call from: the thread that made it. Lock: none.
final class CurlStringList {
    private(set) var head: UnsafeMutablePointer<curl_slist>?

    init() {}

    deinit {
        curl_slist_free_all(head)
    }

    /// Adds a copy of the text.
    ///
    /// - Throws: `CurlError` when memory is short; the list is as it was.
    func append(_ text: String) throws(CurlError) {
        guard let longer = text.withCString({ curl_slist_append(head, $0) }) else {
            throw CurlError(.outOfMemory)
        }
        head = longer
    }
}
