import Foundation
import LoopbackServer
import NetworkImages
import OperationNetworking

struct HundredViews: Scenario {
    let id = "hundred-views"
    let title = "A hundred views, ten pictures"
    let question = "How often is the server asked?"
    let changes = [
        Change(
            .design,
            "A view of AFNetworking 2 has an operation of its own, whatever others load. In a "
                + "downloader requests for one picture share a transfer, and a later request finds the "
                + "picture in its cache.",
            source:
                "a request whose URL is under way joins that transfer (IM-03), and the image is "
                + "in the cache before any handler is called (IM-13)",
            differences: [
                .init(
                    "requests", in: .session, .request, was: "100 GET /picture/N",
                    is: "10 GET /picture/N")
            ])
    ]

    func prepare(_ server: LoopbackServer) {
        for number in 0..<10 { server.addPicture("/picture/\(number)", width: 10 + number) }
    }

    func connectionEra(_ stage: Stage) {
        MainActor.assumeIsolated {
            let views = stage.keep((0..<100).map { _ in OperationView() })
            let wall = Wall(stage)
            for (number, view) in views.enumerated() {
                view.whenShown = { wall.shown($0, in: number) }
                view.setImage(with: stage.url("/picture/\(number % 10)"))
            }
        }
        stage.ends(after: 1)
    }

    func sessionEra(_ stage: Stage) throws {
        try show(stage, stage.sessionPictures)
    }

    func requestEra(_ stage: Stage) throws {
        try show(stage, stage.requestPictures)
    }

    private func show(_ stage: Stage, _ manager: any TransferStarting) throws {
        let downloader = try ImageDownloader(manager: manager)
        MainActor.assumeIsolated {
            let views = stage.keep((0..<100).map { _ in DownloaderView(downloader) })
            let wall = Wall(stage)
            for (number, view) in views.enumerated() {
                view.whenShown = { wall.shown($0, in: number) }
                view.setImage(with: stage.url("/picture/\(number % 10)"))
            }
        }
        stage.ends(after: 1)
    }

    /// Counts the views that show their picture, once all show one.
    ///
    /// ## Concurrency
    /// Call from: the main actor. Lock: none.
    @MainActor
    private final class Wall {
        private let stage: Stage
        private var widths: [Int: Int] = [:]

        init(_ stage: Stage) {
            self.stage = stage
        }

        func shown(_ image: DecodedImage?, in number: Int) {
            widths[number] = image?.pixelWidth
            guard widths.count == 100 else { return }
            let right = widths.count { $0.value == 10 + $0.key % 10 }
            stage.outcome("views with their picture", right)
        }
    }

    func requests(_ seen: [RecordedRequest], in column: Column) -> String {
        let wasRequested = { (number: Int) in seen.contains { $0.path == "/picture/\(number)" } }
        return "\(seen.count) GET /picture/N"
            + ((0..<10).allSatisfy(wasRequested) ? "" : ", not all")
    }
}
