import CLinux
package import Foundation

extension Stream {
    /// Opens it, and keeps its file from programs that the process executes; Foundation's streams on Linux would
    /// let them have it. A program that is executed during this call may get it.
    package func openHere() {
        guard let path = filePath else { return open() }
        // The kernel gives the lowest number that is free.
        let next = Foundation.open("/dev/null", O_RDONLY | O_CLOEXEC)
        if next >= 0 { Foundation.close(next) }
        open()
        let file = cfile_status_at(path)
        guard file.failure == 0, !Self.keep(next, ofFile: file), file.is_regular != 0 else {
            return
        }
        // Another thread was given that number meanwhile.
        let names = try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        for number in names?.compactMap({ Int32($0) }) ?? [] {
            _ = Self.keep(number, ofFile: file)
        }
    }

    /// Keeps a descriptor from executed programs where it is one of a file, and they would get it.
    private static func keep(_ number: Int32, ofFile file: cfile_status) -> Bool {
        let flags = fcntl(number, F_GETFD)
        guard number > STDERR_FILENO, flags >= 0, flags & FD_CLOEXEC == 0 else { return false }
        let own = cfile_status_of(number)
        guard own.failure == 0, own.device == file.device, own.inode == file.inode else {
            return false
        }
        return fcntl(number, F_SETFD, flags | FD_CLOEXEC) == 0
    }
}
