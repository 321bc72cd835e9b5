import TestSupport
import Foundation
import Locking
import Testing

@testable import OperationNetworking

#if os(Linux)
    /// The original's tests of a real network, on the loopback interface.
    @Suite(
        "Reachability of this machine itself", .timeLimit(.minutes(5)),
        .enabled(
            if: ReachabilityTarget.general.currentStatus() != .unknown,
            "Route sockets are refused here."))
    struct ReachabilityHereTests {
        private func managers() -> [NetworkReachabilityManager] {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            return [
                NetworkReachabilityManager(address: &address),
                NetworkReachabilityManager(domain: "localhost"),
            ]
        }

        @Test func `AddressReachabilityBlock, DomainReachabilityBlock`() async {
            for manager in managers() {
                let said = Log<NetworkReachabilityStatus>()
                let called = Signal()
                manager.setReachabilityStatusChangeBlock {
                    said.add($0)
                    called.fire()
                }
                manager.startMonitoring()
                await called.wait(for: 1, "the first report")
                manager.stopMonitoring()
                #expect(said.all.first == .reachableViaWiFi)
            }
        }

        @Test func `without a thread the one report is that nothing is known`() async {
            let said = Log<NetworkReachabilityStatus>()
            let monitor = NetlinkMonitor(target: .general) { _ throws(ThreadUnavailable) in
                throw ThreadUnavailable(EAGAIN)
            }
            monitor.start { said.add($0) }
            #expect(await said.reaches(1))
            monitor.stop()
            #expect(said.all == [.unknown])
        }

        @Test func `AddressReachabilityNotification, DomainReachabilityNotification`() async {
            for manager in managers() {
                let posted = Signal()
                let token = NotificationCenter.default.addObserver(
                    forName: .networkingReachabilityDidChange, object: nil, queue: nil
                ) { [weak manager] notification in
                    let item = notification.userInfo?[
                        networkingReachabilityNotificationStatusItem]
                    // Managers of other tests post here too.
                    guard let manager, manager.isReachable else { return }
                    if item as? Int == manager.status.rawValue { posted.fire() }
                }
                manager.startMonitoring()
                await posted.wait(for: 1, "the notification")
                manager.stopMonitoring()
                NotificationCenter.default.removeObserver(token)
            }
        }
    }
#endif
