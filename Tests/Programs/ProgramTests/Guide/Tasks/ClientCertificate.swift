import CurlConnection
import Foundation
import OperationNetworking

func officeClient(
    _ base: URL, certificate: Data, key: Data, authority: Data
) throws -> HTTPRequestOperationManager {
    // snippet: begin
    let manager = HTTPRequestOperationManager(baseURL: base)
    // Of a file: ClientCertificateCredential(pkcs12: Data(contentsOf: file), password: "…")
    manager.configuration.clientCertificate = try ClientCertificateCredential(
        certificates: [Certificate(der: certificate)], privateKey: key)
    // The office's own authority, in place of the system's.
    manager.securityPolicy.anchorCertificates = [try Certificate(der: authority)]
    // snippet: end
    return manager
}
