import CLinux

/// What a descriptor's number stands for, as long as it is open. The kernel gives the number of a closed one to the
/// next file, of whatever thread.
struct OpenFile: Equatable {
    private let device: UInt64
    private let inode: UInt64

    /// - Returns: nil where no file has the number.
    init?(_ descriptor: Int32) {
        let status = cfile_status_of(descriptor)
        guard status.failure == 0 else { return nil }
        (device, inode) = (status.device, status.inode)
    }
}
