// `import AFNetworking` exports what the old framework exported.
@_exported public import CurlConnection
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import FoundationXML
@_exported public import NetworkImages
@_exported public import OperationNetworking
@_exported public import SessionEra
