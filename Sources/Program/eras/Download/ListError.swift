import OperationNetworking

/// A server's answer that is no list.
struct ListError: Error, CustomStringConvertible {
    let address: String
    let status: Int

    var description: String {
        "There is no list at \(ShownURL.text(address)). "
            + ErrorSentence.text(for: DownloadError.status(status))
    }
}
