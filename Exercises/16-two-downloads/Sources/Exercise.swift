import Foundation
import Lessons

/// Exercise 16. Views ask for pictures, many of them for the same one.
///
/// Each view loads anew, and a view that cancels takes the picture away from all. Let them share.
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
        loader.start(name)
        return lock.withLock {
            last += 1
            views[last] = View(name: name, handler: handler)
            return last
        }
    }

    func cancel(_ receipt: Int) {
        let view = lock.withLock { views[receipt] }
        if let view { loader.cancel(view.name) }
    }

    func loaded(_ name: String, _ picture: String) {
        let all = lock.withLock { views.values.filter { $0.name == name } }
        for view in all { view.handler(picture) }
    }
}
