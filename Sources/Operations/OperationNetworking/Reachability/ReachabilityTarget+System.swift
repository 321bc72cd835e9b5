#if os(Linux)
    import CLinux
#endif

/// The kernel could not be asked.
struct KernelSilence: Error {}

extension ReachabilityTarget {
    /// The system's monitor for this target, not started.
    package func monitor() -> any ReachabilityMonitor {
        #if os(Linux)
            NetlinkMonitor(target: self)
        #else
            BlindMonitor()
        #endif
    }

    /// What the system says now, read on the caller's thread; `.unknown` where it does not tell.
    ///
    /// The kernel answers from its tables: nothing is sent and nothing looked up.
    package func currentStatus() -> NetworkReachabilityStatus {
        #if os(Linux)
            answer().status
        #else
            .unknown
        #endif
    }
}

#if os(Linux)
    extension ReachabilityTarget {
        /// The kernel's answer in the thread's network namespace.
        func answer() -> ReachabilityAnswer {
            do throws(KernelSilence) {
                let interfaces = try NetworkInterface.all()
                var answer = ReachabilityAnswer.unknown
                for destination in destinations {
                    switch destination {
                    case .host(let address):
                        answer = ReachabilityAnswer(
                            from: try address.source(), to: address, over: interfaces)
                    case .anybody:
                        answer = ReachabilityAnswer(toAnybodyOver: interfaces)
                    }
                    if answer.status != .notReachable { break }
                }
                return answer
            } catch {
                return .unknown
            }
        }
    }

    extension NetworkAddress {
        /// The address that packets to this one would come from; nil where the kernel has no way.
        fileprivate func source() throws(KernelSilence) -> NetworkAddress? {
            var source = [UInt8](repeating: 0, count: 28)
            switch clinux_source(bytes, Int32(bytes.count), UInt32(interface), &source) {
            case 0: return nil
            case 1: return NetworkAddress(socketAddress: source)
            default: throw KernelSilence()
            }
        }
    }
#endif
