import Foundation

/// A file that could not be used: the action, the path, and the system's error number.
struct DiskError: Error, Equatable, CustomStringConvertible {
    var action: String
    var path: String
    var code: Int32
    /// Whether the file was cut short, and has neither its old contents nor all of the new.
    var isIncomplete = false

    init(action: String, path: String, code: Int32 = errno) {
        self.action = action
        self.path = path
        self.code = code
    }

    var description: String {
        "Could not \(action) \(path): \(String(cString: strerror(code)))."
            + (isIncomplete ? " The file is incomplete." : "")
            + (action.hasPrefix("make") ? Self.advice(code) : Self.space(code))
    }

    private static func space(_ code: Int32) -> String {
        [ENOSPC, EDQUOT].contains(code) ? " Free some space and run the same command again." : ""
    }

    /// Advice on a system error with a download's file.
    static func advice(_ code: Int32) -> String {
        switch code {
        case EACCES, EPERM, EROFS: " Choose another directory with -o."
        case EEXIST: " It was made meanwhile; run the same command again."
        case EWOULDBLOCK: " Another eras is writing it; wait until that one is done."
        default: space(code)
        }
    }
}
