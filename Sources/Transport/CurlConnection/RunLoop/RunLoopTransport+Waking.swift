// How other threads have an exchange go on.

extension RunLoopTransport {
    func waker(of transfer: Transfer) -> @Sendable () -> Void {
        let key = ObjectIdentifier(transfer)
        return { [crossThreadJobs] in
            crossThreadJobs.perform { $0.transfers[key]?.pollAtOnce() }
        }
    }
}
