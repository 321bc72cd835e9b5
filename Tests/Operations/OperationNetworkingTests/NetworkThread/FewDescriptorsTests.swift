import TestSupport

@testable import OperationNetworking

/// Sets how many descriptors the process may have open.
private func limitDescriptors(to count: Int) {
    let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(files, &limit)
    limit.rlim_cur = rlim_t(count)
    setrlimit(files, &limit)
}

/// Runs a request that nobody answers on each thread, and returns how they ended.
private func errors(on threads: [NetworkThread], _ url: URL) async -> [URLError] {
    let operations = threads.map { thread in
        let operation = URLConnectionOperation(request: URLRequest(url: url, timeoutInterval: 10))
        operation.networkThread = thread
        return operation
    }
    for operation in operations {
        await withCheckedContinuation { continuation in
            operation.completionBlock = { continuation.resume() }
            operation.start()
        }
    }
    return operations.compactMap { $0.error as? URLError }
}

@Suite("A process with few descriptors", .timeLimit(.minutes(5)))
struct FewDescriptorsTests {
    @Test func `twenty network threads with 64 descriptors give errors that name the limit`() async
    {
        await #expect(processExitsWith: .success) {
            let nobody = LoopbackServer.started()
            let url = nobody.url("/")
            nobody.stop()
            limitDescriptors(to: 64)
            var threads = (0..<20).map { NetworkThread(name: "few \($0)") }
            let ends = await errors(on: threads, url)
            #expect(ends.count == 20)
            let short = ends.filter { $0.code == .resourceUnavailable }
            #expect(!short.isEmpty)
            #expect(short.allSatisfy { $0.localizedDescription.contains("RLIMIT_NOFILE") })
            #expect(ends.contains { $0.code == .cannotConnectToHost })
            // And such a thread works as soon as there are descriptors again
            limitDescriptors(to: 512)
            threads.removeFirst(10)
            #expect(await errors(on: threads, url).allSatisfy { $0.code == .cannotConnectToHost })
        }
    }
}
