import Foundation
import Locking

/// Tells a developer, once, of a validation that cannot count.
enum LateValidation {
    private static let isSaid = Locked(false)

    static func warnOnce() {
        let isFirst = isSaid.withLock { isSaid in
            defer { isSaid = true }
            return !isSaid
        }
        guard isFirst else { return }
        FileHandle.standardError.write(
            Data(
                """
                RequestEra: validate() was called after a request had ended and had handlers; \
                it has no effect. Add validations before handlers.\n
                """.utf8))
    }
}
