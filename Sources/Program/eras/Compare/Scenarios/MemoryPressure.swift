import Foundation
import FoundationNetworking
import LoopbackServer
import NetworkImages
import OperationNetworking

struct MemoryPressure: Scenario {
    let id = "memory-pressure"
    let title = "Memory is short, and a picture is asked for again"
    let question = "Is the server asked again?"
    let changes = [
        Change(
            .design,
            "Pictures in memory go when it is short, in each era. The cache of responses does not, "
                + "so that the picture, which is fresh for a minute, is decoded once more and not "
                + "loaded.",
            source: "a memory warning empties the cache (IM-24)")
    ]

    func prepare(_ server: LoopbackServer) {
        server.addPicture("/picture", width: 10, control: "max-age=60")
    }

    func connectionEra(_ stage: Stage) throws {
        let shortage = Shortage()
        let cache = AutoPurgingImageCache()
        try cache.purge(on: shortage)
        let request = URLRequest(url: stage.url("/picture"))
        MainActor.assumeIsolated {
            OperationView.sharedImageCache = cache
            let view = stage.keep(OperationView())
            view.setImage(with: request) { _, response, _ in
                stage.outcome("first", origin(response))
                view.setImage(with: request) { _, response, _ in
                    stage.outcome("again", origin(response))
                    shortage.begin()
                    view.setImage(with: request) { _, response, _ in
                        stage.outcome("after the shortage", origin(response))
                    }
                }
            }
        }
        stage.ends(after: 3)
    }

    func sessionEra(_ stage: Stage) throws {
        try load(stage, stage.sessionPictures)
    }

    func requestEra(_ stage: Stage) throws {
        try load(stage, stage.requestPictures)
    }

    private func load(_ stage: Stage, _ manager: any TransferStarting) throws {
        let shortage = Shortage()
        let cache = AutoPurgingImageCache()
        try cache.purge(on: shortage)
        let downloader = stage.keep(try ImageDownloader(manager: manager, imageCache: cache))
        let request = URLRequest(url: stage.url("/picture"))
        downloader.download(request) { _, response, _ in
            stage.outcome("first", origin(response))
            downloader.download(request) { _, response, _ in
                stage.outcome("again", origin(response))
                shortage.begin()
                downloader.download(request) { _, response, _ in
                    stage.outcome("after the shortage", origin(response))
                }
            }
        }
        stage.ends(after: 3)
    }

    /// Only a picture of the cache comes without a response.
    private func origin(_ response: HTTPURLResponse?) -> String {
        response == nil ? "from memory" : "with a response"
    }
}
