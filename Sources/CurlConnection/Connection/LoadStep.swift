import Foundation
import FoundationNetworking

/// What a load does next: said by the cache of a request and of a head, by whoever asks for a
/// credential, and by the judgement of a server. One list for all of them.
enum LoadStep {
    /// Nothing stands in the way: the request goes out, the response is delivered, the error is told.
    case goOn
    /// This request is sent, in the place of what was under way.
    case send(URLRequest)
    /// The cache answers.
    case serve(StoredResponse)
    /// The delegate is asked for a credential first.
    case ask(AuthenticationQuestion)
    /// The delegate was asked and answers later, or the load is over: nothing happens now.
    case wait
    case fail(URLError)
}
