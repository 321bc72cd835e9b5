// Ten files, three at a time, each straight to disk.
import Foundation
import FoundationNetworking
import OperationNetworking

func fetch(_ urls: [URL], into folder: URL) {
    let manager = OperationManager()
    manager.maxConcurrentOperationCount = 3

    let operations = urls.map { url in
        let operation = URLConnectionOperation(request: URLRequest(url: url))
        let file = folder.appendingPathComponent(url.lastPathComponent)
        operation.outputStream = OutputStream(url: file, append: false)
        operation.completionBlock = { [unowned operation] in
            print(url.lastPathComponent, operation.error ?? "\(operation.totalBytesRead) bytes")
        }
        return operation
    }
    manager.enqueue(batch: operations) { finished, total in
        print("\(finished) of \(total)")
    } completion: { _ in
        print("all done")
    }
}
