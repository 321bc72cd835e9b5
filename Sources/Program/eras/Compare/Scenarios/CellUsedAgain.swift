import Foundation
import LoopbackServer
import NetworkImages
import OperationNetworking

struct CellUsedAgain: Scenario {
    let id = "cell-used-again"
    let title = "A cell that is reused"
    let question = "Does a late response show the wrong picture?"
    let changes = [
        Change(
            .design,
            "A list that is loaded again asks for the same picture once more: AFNetworking 2 "
                + "cancels the operation and sends another, while later eras leave the transfer "
                + "alone. Another picture cancels it in all of them.",
            source:
                "the same URL under way is not asked for again (IM-29), another one cancels the "
                + "one before (IM-30)",
            differences: [
                .init(
                    "requests", in: .session, .request,
                    was: "1 GET /chosen, 2 GET /slow", is: "1 GET /chosen, 1 GET /slow")
            ])
    ]
    let gates = ["door"]

    func prepare(_ server: LoopbackServer) {
        server.addPicture("/slow", width: 20, gate: "door")
        server.addPicture("/chosen", width: 30)
    }

    func connectionEra(_ stage: Stage) {
        MainActor.assumeIsolated {
            let cell = stage.keep(OperationView())
            cell.whenShown = { image in record(stage, image) { cell.image } }
            cell.setImage(with: stage.url("/slow"))
            stage.whenReached("door") {
                cell.setImage(with: stage.url("/slow"))
                stage.whenReached("door", count: 2) {
                    cell.setImage(with: stage.url("/chosen"))
                }
            }
        }
        stage.ends(after: 2)
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
            let cell = stage.keep(DownloaderView(downloader))
            cell.whenShown = { image in record(stage, image) { cell.image } }
            cell.setImage(with: stage.url("/slow"))
            stage.whenReached("door") {
                cell.setImage(with: stage.url("/slow"))
                cell.setImage(with: stage.url("/chosen"))
            }
        }
        stage.ends(after: 2)
    }

    /// Records what is shown first, and what after the slow response was cancelled.
    @MainActor
    private func record(
        _ stage: Stage, _ image: DecodedImage?, _ now: @escaping @MainActor () -> DecodedImage?
    ) {
        stage.outcome("shown", image?.pixelWidth == 30 ? "the chosen one" : "another")
        stage.whenLeft {
            stage.release("door")
            stage.outcome("at the end", now()?.pixelWidth == 30 ? "the chosen one" : "another")
        }
    }
}
