import Foundation
import FoundationNetworking

/// What a load does next. The cache, the authentication and the judgement of a server return it.
enum LoadStep {
    /// The load goes on: the request is sent, the response delivered or the error told.
    case goOn
    /// This request is sent instead.
    case send(URLRequest)
    /// The same request is sent again, after so many seconds.
    case sendAgain(after: TimeInterval)
    /// The response comes from the cache.
    case serve(StoredResponse)
    /// The delegate is asked for a credential first.
    case ask(AuthenticationQuestion)
    /// Nothing happens now: the delegate will answer later, or the load is over.
    case wait
    case fail(URLError)
}
