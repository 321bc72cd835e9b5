/// Received bytes are not a request that the server accepts; `status` is the response's.
struct Malformed: Error {
    let status: Int
}
