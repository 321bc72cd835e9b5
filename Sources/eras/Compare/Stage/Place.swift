import Foundation

/// The thread or queue on which code runs.
enum Place {
    private static let key: DispatchSpecificKey<String> = {
        let key = DispatchSpecificKey<String>()
        DispatchQueue.main.setSpecific(key: key, value: "main")
        return key
    }()

    /// "main", "delegate queue", the thread's name, or "another".
    static var current: String {
        if let main = DispatchQueue.getSpecific(key: key) { return main }
        if OperationQueue.current?.name?.hasSuffix(".delegate") == true { return "delegate queue" }
        let name = Thread.current.name ?? ""
        return name.isEmpty ? "another" : name
    }
}
