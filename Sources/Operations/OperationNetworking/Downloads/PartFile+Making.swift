import CLinux
import Foundation

// Where the part of a new download goes, and what may lie there.
extension PartFile {
    /// Opens the part that a download made before, or makes one.
    ///
    /// - Throws: `DownloadError.otherPart` where something lies there, or where the record goes, that no
    ///   download made: a file of somebody else's, a link or other name of one, a pipe. A download that may
    ///   replace files removes it, and what it leads to stays.
    func make() throws(DownloadError) {
        let found = try DownloadRecord.look(at: place)
        if found == .strange {
            guard mayReplace else { throw .otherPart(path: place.record) }
            DownloadRecord.remove(place)
        }
        mayHaveRecord = found == .record
        // Somebody may put something else there each time.
        for _ in 1...10 {
            if try openPart() { return mark() }
            guard mayReplace else { throw .otherPart(path: place.part) }
            guard unlink(place.part) == 0 || errno == ENOENT else {
                throw .disk("remove", place.part)
            }
        }
        throw .otherPart(path: place.part)
    }

    /// - Returns: false where no download made what is there.
    private func openPart() throws(DownloadError) -> Bool {
        do throws(DownloadError) {
            descriptor = try LockedFile.open(place.part, O_RDWR | O_CREAT | O_CLOEXEC)
        } catch {
            // A link, a socket, a device without a driver.
            if case .disk(_, _, let code) = error, [ELOOP, ENXIO, ENODEV].contains(code) {
                return false
            }
            throw error
        }
        // A part beside a record is a download's, also where its mark was lost with a copy.
        let status = cfile_status_of(descriptor)
        let isOurs =
            status.failure == 0 && status.is_regular == 1 && status.links == 1
            && (status.size == 0 || FileOrigin.isPart(descriptor) || isWhole
                || access(place.record, F_OK) == 0)
        // An earlier download may have ended while it wrote its record.
        if status.size > 0 { mayHaveRecord = true }
        if !isOurs { unlock() }
        return isOurs
    }

    /// Whether a process was killed after it marked the whole file and before it gave it its name.
    private var isWhole: Bool {
        FileOrigin(address, of: descriptor)?.marks(descriptor) == true
    }

    /// Where the file system stores no attributes, a record without bytes says whose the part is.
    func mark() {
        isMarkedByRecord = !FileOrigin.markPart(descriptor)
    }
}
