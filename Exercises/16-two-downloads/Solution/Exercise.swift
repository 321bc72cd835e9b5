import Foundation
import Lessons

/// Exercise 16, solved: the first receipt begins the download, and the last one that goes cancels it.
final class Exercise: SharingExercise, @unchecked Sendable {
    // @unchecked because the table is changed under the lock.
    private struct View {
        let name: String
        let handler: @Sendable (String) -> Void
    }

    private let loader: PictureLoader
    private let lock = NSLock()
    private var views: [Int: View] = [:]
    private var last = 0

    init(_ loader: PictureLoader) {
        self.loader = loader
    }

    func ask(_ name: String, _ handler: @escaping @Sendable (String) -> Void) -> Int {
        let (receipt, isFirst) = lock.withLock {
            let isFirst = !views.values.contains { $0.name == name }
            last += 1
            views[last] = View(name: name, handler: handler)
            return (last, isFirst)
        }
        if isFirst { loader.start(name) }
        return receipt
    }

    func cancel(_ receipt: Int) {
        let abandoned = lock.withLock { () -> String? in
            guard let view = views.removeValue(forKey: receipt) else { return nil }
            return views.values.contains { $0.name == view.name } ? nil : view.name
        }
        if let abandoned { loader.cancel(abandoned) }
    }

    func loaded(_ name: String, _ picture: String) {
        let all = lock.withLock {
            let all = views.filter { $0.value.name == name }
            for receipt in all.keys { views[receipt] = nil }
            return all.values
        }
        for view in all { view.handler(picture) }
    }
}
