import Foundation
import FoundationNetworking
import LoopbackServer
import NetworkImages
import OperationNetworking

struct CancelOneReceipt: Scenario {
    let id = "cancel-one-receipt"
    let title = "Ten wait for one picture, and the first cancels"
    let question = "Do the other nine get it?"
    let changes = [
        Change(
            .design,
            "Ten views of AFNetworking 2 have ten operations, of which one is cancelled. A "
                + "downloader has one transfer and ten receipts, and it continues while one is left, "
                + "also after the first caller has cancelled.",
            source: "a request whose URL is under way joins that transfer (IM-03)",
            differences: [
                .init(
                    "requests", in: .session, .request, was: "10 GET /picture", is: "1 GET /picture"
                )
            ]),
        Change(
            .design,
            "A view that cancels gets no call, while a receipt's failure block is called with -999.",
            source: "cancelling one of several receipts fails its handler alone, with -999 (IM-10)",
            differences: [
                .init(
                    "caller 1", in: .session, .request, was: "-", is: "NSURLErrorDomain -999")
            ]),
    ]
    let gates = ["door"]

    func prepare(_ server: LoopbackServer) {
        server.addPicture("/picture", width: 10, gate: "door")
    }

    func connectionEra(_ stage: Stage) {
        MainActor.assumeIsolated {
            let views = stage.keep((1...10).map { _ in OperationView() })
            let ask = { @MainActor (number: Int) in
                views[number - 1].setImage(
                    with: URLRequest(url: stage.url("/picture")),
                    success: { _, _, image in stage.outcome("caller \(number)", image) },
                    failure: { _, _, error in stage.outcome("caller \(number)", error) })
            }
            ask(1)
            stage.whenReached("door") {
                for number in 2...10 { ask(number) }
                views[0].cancelImageRequestOperation()
                stage.release("door")
            }
        }
        stage.ends(after: 9)
    }

    func sessionEra(_ stage: Stage) throws {
        try ask(stage, stage.sessionPictures)
    }

    func requestEra(_ stage: Stage) throws {
        try ask(stage, stage.requestPictures)
    }

    private func ask(_ stage: Stage, _ manager: any TransferStarting) throws {
        let downloader = try stage.keep(ImageDownloader(manager: manager))
        let request = URLRequest(url: stage.url("/picture"))
        let ask = { @Sendable (number: Int) in
            downloader.download(request) { _, _, image in
                stage.outcome("caller \(number)", image)
            } failure: { _, _, error in
                stage.outcome("caller \(number)", error)
                stage.release("door")
            }
        }
        let first = ask(1)
        stage.whenReached("door") {
            for number in 2...10 { _ = ask(number) }
            if let first { downloader.cancel(first) }
        }
        stage.ends(after: 10)
    }
}
