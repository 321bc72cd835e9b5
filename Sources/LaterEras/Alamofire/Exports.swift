// `import Alamofire` exports what the old framework let a source use: on Apple's systems `Foundation`
// has URLRequest and its like, and Security the certificates. The module OperationNetworking is not
// among them, since names such as MultipartFormData are in both.
@_exported public import CurlConnection
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import RequestEra
@_exported public import SessionTasks
