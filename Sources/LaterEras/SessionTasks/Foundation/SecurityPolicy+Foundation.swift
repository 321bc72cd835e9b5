package import OperationNetworking

extension SecurityPolicy {
    /// The first setting that libcurl's verification in Foundation's URLSession does not satisfy
    /// (LX-13); nil for a policy that libcurl satisfies.
    package var beyondDefault: String? {
        if pinningMode != .none { return "pinning" }
        if allowInvalidCertificates { return "allowInvalidCertificates" }
        if !validatesDomainName { return "validatesDomainName = false" }
        if anchorCertificates != nil { return "anchorCertificates" }
        if !certificateRevocationLists.isEmpty { return "certificateRevocationLists" }
        if verificationTime != nil { return "verificationTime" }
        return nil
    }
}
