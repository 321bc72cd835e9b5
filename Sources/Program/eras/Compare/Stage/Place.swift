import Foundation

/// The thread or queue on which code runs.
enum Place {
    private static let key: DispatchSpecificKey<String> = {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        return key
    }()

    /// The queues on which a session calls its delegate, in the later eras.
    private static let delegateQueues: Set = [
        "com.alamofire.networking.session.delegate", "org.alamofire.session-manager",
    ]

    /// "main", "delegate queue", the thread's name, or "another".
    static var current: String {
        if let main = DispatchQueue.getSpecific(key: key) { return main }
        if let name = OperationQueue.current?.name, delegateQueues.contains(name) {
            return "delegate queue"
        }
        let name = Thread.current.name ?? ""
        return name.isEmpty ? "another" : name
    }
}
