import Foundation
import SessionEra

final class TrafficLog {
    private var token: (any NSObjectProtocol)?

    // snippet: begin
    func start(_ line: @escaping @Sendable (String) -> Void) {
        token = NotificationCenter.default.addObserver(
            forName: .networkingTaskDidComplete, object: nil, queue: nil
        ) { notification in
            let error = notification.userInfo?[networkingTaskDidCompleteErrorKey] as? NSError
            line("\(error?.code ?? 0)")
        }
    }
    // snippet: end

    func stop() {
        if let token { NotificationCenter.default.removeObserver(token) }
    }
}
