// What nearly every test file needs.
@_exported public import Foundation
@_exported public import FoundationNetworking
@_exported public import Locking
@_exported public import LoopbackServer
@_exported public import Testing
