// `import AFNetworking` is all an old source says; it brings what the old framework brought.
@_exported public import CurlConnection
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import FoundationXML
@_exported public import OperationNetworking
@_exported public import SessionEra
