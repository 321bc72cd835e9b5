public import Foundation
import FoundationNetworking

// Data requests and downloads.
extension SessionManager {
    /// Makes a data request of its parts.
    ///
    /// A URL or parameters that cannot be encoded still give a request, whose handlers get the error
    /// (AL-04).
    @discardableResult
    public func request(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil
    ) -> DataRequest {
        var plain: URLRequest?
        do {
            let made = try URLRequest(url: url, method: method, headers: headers)
            plain = made
            return start(.data(try encoding.encode(made, with: parameters)), DataRequest.init)
        } catch {
            return fail(error, plain, DataRequest.init)
        }
    }

    /// Makes a data request.
    @discardableResult
    public func request(_ urlRequest: any URLRequestConvertible) -> DataRequest {
        do {
            return start(.data(try urlRequest.asURLRequest()), DataRequest.init)
        } catch {
            return fail(error) { DataRequest($0) }
        }
    }

    /// Makes a download of its parts.
    ///
    /// - Parameter destination: says where the file is moved to; nil leaves it to the request, which
    ///   removes it when it goes.
    @preconcurrency
    @discardableResult
    public func download(
        _ url: any URLConvertible, method: HTTPMethod = .get, parameters: Parameters? = nil,
        encoding: any ParameterEncoding = URLEncoding.default, headers: HTTPHeaders? = nil,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            let plain = try URLRequest(url: url, method: method, headers: headers)
            return start(.download(try encoding.encode(plain, with: parameters))) {
                DownloadRequest($0, destination)
            }
        } catch {
            return fail(error) { DownloadRequest($0, destination) }
        }
    }

    /// Makes a download.
    @preconcurrency
    @discardableResult
    public func download(
        _ urlRequest: any URLRequestConvertible,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        do {
            return start(.download(try urlRequest.asURLRequest())) {
                DownloadRequest($0, destination)
            }
        } catch {
            return fail(error) { DownloadRequest($0, destination) }
        }
    }

    /// Goes on with a download.
    ///
    /// The adapter is not asked, so a token that it adds is the one of the download before (AL-25). A retry goes on
    /// with what has come since; where that is nothing, it begins again, and the adapter is asked.
    ///
    /// - Parameter resumeData: of `DownloadRequest.resumeData` or of a response.
    @preconcurrency
    @discardableResult
    public func download(
        resumingWith resumeData: Data,
        to destination: DownloadRequest.DownloadFileDestination? = nil
    ) -> DownloadRequest {
        start(.resumedDownload(resumeData)) { DownloadRequest($0, destination) }
    }
}
