// A program that imports OperationNetworking has every type that its public API names: URLRequest and
// URLCredential, the configuration with its policies, metrics and stores.
@_exported public import CurlConnection
@_exported public import FoundationNetworking
@_exported public import HTTPSemantics
