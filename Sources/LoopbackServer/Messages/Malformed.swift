/// Bytes that are not a request the server takes; `status` is what to answer.
struct Malformed: Error {
    let status: Int
}
