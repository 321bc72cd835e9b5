import Foundation
import LoopbackServer
import OperationNetworking

// Two origins: another port is another origin.
let servers = [LoopbackServer(), LoopbackServer()]
for server in servers {
    // Each response waits until its server opens the gate.
    server.add("/part") { _ in .text("part").after(.wait(gate: "door")) }
    server.hold("door")
    try server.start()
}
// First all of one server, then all of the other: the second does not wait for the first.
let addresses = servers.flatMap { server in
    (1...20).map { server.url("/part").absoluteString + "?number=\($0)" }
}

let manager = HTTPRequestOperationManager()
manager.responseSerializer = HTTPResponseSerializer()  // Data, whatever its type.
manager.maxConcurrentOperationCount = 10
manager.maximumOperationsPerOrigin = 5
// The default is 6: to run ten at once at one origin, raise this as well.
manager.configuration.httpMaximumConnectionsPerHost = 10

let work = Task {
    await withTaskGroup { group in
        for address in addresses {
            group.addTask { () -> Int in
                do {
                    return (try await manager.get(address) as? Data)?.count ?? 0
                } catch {
                    print("\(address): \(error)")
                    return 0
                }
            }
        }
        var sizes: [Int] = []
        for await size in group { sizes.append(size) }
        return sizes
    }
}

// Nothing is answered yet, so the requests that have arrived are those that run at once.
func arrived() -> [Int] { servers.map(\.requests.count) }
for _ in 1...1_000 where arrived().reduce(0, +) < 10 {
    try await Task.sleep(for: .milliseconds(10))
}
print("at once: \(arrived())")
for server in servers { server.release("door") }
let sizes = await work.value
print("\(sizes.count) responses, \(sizes.reduce(0, +)) bytes")
