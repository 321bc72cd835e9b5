import CLinux
import EventRecorder
package import Foundation

// Which streams may block the thread that calls them.

/// A body stream of this package's own that reads files or streams of the caller's.
package protocol ComposedStream: InputStream {
    /// Whether a read may wait, for a disk or for a peer. Looks at no file.
    var readsFiles: Bool { get }
    /// Whether a read may wait for the peer of a pipe or a device. May look at files.
    var readsPipes: Bool { get }
    /// Whether it may be read before its bytes are needed.
    var mayBeReadAhead: Bool { get }
}

/// A stream of this package's own that has no file, and says itself when it is ready.
package protocol ReadyStream: Stream {}

extension Stream {
    /// Whether its calls are made beside the thread of the network: a disk, or a peer, may keep them
    /// waiting. Looks at no file.
    ///
    /// False for memory, and for a class of the caller's, which says itself when it is ready.
    package var mayBeSlow: Bool {
        if let composed = self as? any ComposedStream { return composed.readsFiles }
        guard let storage else { return isFoundations }
        return !Self.isMemory(storage)
    }

    /// Whether a call may wait though the stream says that it is ready. Foundation's streams on Linux
    /// always say so, also of a pipe, a terminal or another device.
    ///
    /// False for memory, for regular files and folders, and for a class of the caller's, which says
    /// itself when it is ready. True where the file is not known. Looks at the file, which may take long.
    package var mayWait: Bool {
        if let composed = self as? any ComposedStream { return composed.readsPipes }
        guard let storage else { return isFoundations }
        guard storage.contains("{<CFURL ") else { return !Self.isMemory(storage) }
        guard let path = Self.path(in: storage) else { return true }
        let status = cfile_status_at(path)
        return status.failure == 0 && status.is_regular == 0 && status.is_directory == 0
    }

    /// The path of the file that it reads or writes; nil for another stream, or where the path is not known.
    var filePath: String? {
        guard let storage, storage.contains("{<CFURL ") else { return nil }
        return Self.path(in: storage)
    }

    private var isFoundations: Bool {
        type(of: self) == InputStream.self || type(of: self) == OutputStream.self
    }

    private static func isMemory(_ storage: String) -> Bool {
        !storage.contains("{<CFURL ")
            && (storage.contains("{<CFData ") || storage.contains("{<CFWriteDataContext "))
    }

    /// CoreFoundation's description of the stream; nothing else has a stream's file.
    private var storage: String? {
        // Reflection costs more than the rest of a small load's body.
        if self is any ReadyStream { return nil }
        var mirror: Mirror? = Mirror(reflecting: self)
        while let level = mirror {
            for child in level.children where child.label?.hasPrefix("_stream") == true {
                return String(describing: child.value)
            }
            mirror = level.superclassMirror
        }
        return nil
    }

    /// The path of the absolute file URL in a description.
    private static func path(in storage: String) -> String? {
        guard let start = storage.range(of: "{string = ") else { return nil }
        let rest = storage[start.upperBound...]
        guard let end = rest.range(of: ", encoding = "),
            rest[end.upperBound...].contains("base = (null)"),
            let url = URL(string: String(rest[..<end.lowerBound])), url.isFileURL
        else { return nil }
        return url.path
    }
}

extension InputStream {
    /// Has the next read begin at the first byte.
    ///
    /// - Returns: false where it cannot: one at its end stays there, whatever its offset says.
    func rewind() -> Bool {
        let isSet = setProperty(NSNumber(value: 0), forKey: .fileCurrentOffsetKey)
        let offset = property(forKey: .fileCurrentOffsetKey) as? NSNumber
        return isSet && offset?.int64Value == 0 && streamStatus != .atEnd
    }

    /// Why it gives no more bytes. On Linux `streamError` stops the process where there is none (LX-26).
    var readingError: any Error {
        (streamStatus == .error ? streamError : nil)
            ?? URLError(
                .requestBodyStreamExhausted,
                described: [NSLocalizedDescriptionKey: "The body stream gives no more bytes."])
    }
}

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
        for number in DescriptorRoom.open { _ = Self.keep(number, ofFile: file) }
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
