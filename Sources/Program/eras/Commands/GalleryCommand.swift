import Foundation

/// `eras gallery`: downloads images, writes their thumbnails and a page, and ends the process.
struct GalleryCommand: Sendable {
    /// The most pixels of all thumbnails, which are in memory, with four bytes each, until the last one
    /// is loaded.
    private static let maximumPixels = 40_000_000

    let options: GalleryOptions

    /// - Throws: `UsageError` without URLs; `GalleryError` where there are too many, or files exist
    ///   already; `DiskError` for an unusable list or folder.
    func begin() throws {
        var setup = TransferSetup()
        setup.timeout = options.timeout
        let urls = try options.listed(setup)
        guard !urls.isEmpty else {
            throw UsageError(sentence: "There is no URL of an image.", topic: .gallery)
        }
        guard urls.count <= Self.maximumPixels / (options.side * options.side) else {
            throw GalleryError.tooLarge(count: urls.count, side: options.side)
        }
        try folder.check(count: urls.count, isForced: options.isForced)
        let display = ProgressDisplay(isQuiet: options.isQuiet)
        let settings = GalleryLoader.Settings(
            jobs: options.jobs, timeout: options.timeout, side: options.side)
        let loader = try GalleryLoader(
            DownloadItem.list(urls.map(\.text), directory: "."), settings: settings
        ) { result in
            display.finished(result)
        } completed: { results, tiles in
            display.end(results)
            if results.contains(where: \.isInterrupted) { ExitCode.interrupted.leave() }
            conclude(tiles)
        }
        Interruption.handle {
            display.say("Interrupted; nothing is written.")
            loader.cancel()
        }
        display.follow { loader.progress }
        loader.start()
    }

    private var folder: GalleryFolder { GalleryFolder(path: options.directory) }

    private func conclude(_ tiles: [GalleryTile]) {
        let page = GalleryPage(tiles: tiles, side: options.side, columns: options.columns)
        do {
            try folder.save(tiles, page: page.html)
        } catch {
            ExitCode.leave(reporting: error)
        }
        if !options.isQuiet { Console.toError("The page: \(folder.place(GalleryFolder.page))\n") }
        (tiles.allSatisfy { $0.problem == nil } ? ExitCode.success : .failed).leave()
    }
}
