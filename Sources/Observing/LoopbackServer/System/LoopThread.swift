import Foundation

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// A POSIX thread that can be joined, named "LoopbackServer".
struct LoopThread: Sendable {
    /// The thread's handle as a number, so that it is `Sendable` on every system.
    private let handle: UInt

    init(_ body: @escaping @Sendable () -> Void) throws(LoopbackServerError) {
        let job = Unmanaged.passRetained(Job(body))
        #if canImport(Darwin)
            var thread: pthread_t?
            let code = pthread_create(
                &thread, nil,
                {
                    Unmanaged<Job>.fromOpaque($0).takeRetainedValue().run()
                    return nil
                }, job.toOpaque())
            handle = UInt(bitPattern: thread)
        #else
            var thread = pthread_t()
            let code = pthread_create(
                &thread, nil,
                {
                    if let job = $0 { Unmanaged<Job>.fromOpaque(job).takeRetainedValue().run() }
                    return nil
                }, job.toOpaque())
            handle = UInt(thread)
        #endif
        guard code == 0 else {
            job.release()
            throw .system(call: "pthread_create", code: code)
        }
    }

    /// Waits until the thread has ended; on the thread itself it detaches the thread.
    func join() {
        #if canImport(Darwin)
            guard let thread = pthread_t(bitPattern: handle) else { return }
        #else
            let thread = pthread_t(handle)
        #endif
        if pthread_equal(thread, pthread_self()) != 0 {
            pthread_detach(thread)
        } else {
            pthread_join(thread, nil)
        }
    }

    private final class Job: Sendable {
        private let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) { self.body = body }

        func run() {
            Thread.current.name = "LoopbackServer"
            #if os(Linux)
                // OpenSSL writes without MSG_NOSIGNAL; a SIGPIPE must not end the process.
                var signals = sigset_t()
                sigemptyset(&signals)
                sigaddset(&signals, SIGPIPE)
                pthread_sigmask(SIG_BLOCK, &signals, nil)
            #endif
            body()
        }
    }
}
