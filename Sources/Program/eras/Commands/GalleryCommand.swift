import Foundation
import NetworkImages

/// `eras gallery`: downloads images, writes a contact sheet and its page, and ends the process.
struct GalleryCommand: Sendable {
    private let options: GalleryOptions

    init(_ options: GalleryOptions) {
        self.options = options
    }

    /// - Throws: `UsageError` without URLs; `SheetError` where there are too many; `DiskError` for an
    ///   unusable list or output.
    func begin() throws {
        let urls = try URLList(urls: options.urls, sources: options.sources).read()
        guard !urls.isEmpty else {
            throw UsageError(sentence: "There is no URL of an image.", topic: .gallery)
        }
        let layout = SheetLayout(count: urls.count, side: options.side, columns: options.columns)
        guard layout.isDrawable else { throw SheetError.tooLarge(layout.size) }
        try checkOutputs()
        let display = ProgressDisplay(
            options.isQuiet ? .quiet : Console.isErrorATerminal ? .terminal : .plain)
        let loader = try GalleryLoader(
            DownloadItem.list(urls, directory: "."), settings: settings(layout)
        ) { result in
            display.finished(result)
        } completed: { results, tiles in
            display.end(
                ProgressText.summary(results, seconds: display.seconds, keepsParts: false))
            if results.contains(where: \.isInterrupted) { ExitCode.interrupted.leave() }
            conclude(tiles, layout)
        }
        let interruption = Interruption {
            display.say("Interrupted; nothing is written.")
            loader.cancel()
        }
        display.follow { loader.progress }
        loader.start()
        Lifetime.keep(interruption)
        Lifetime.keep(loader)
    }

    private func settings(_ layout: SheetLayout) -> GalleryLoader.Settings {
        GalleryLoader.Settings(
            jobs: options.jobs, timeout: options.timeout, side: layout.imageSide)
    }

    /// The outputs must not be there, unless they may be replaced, and must be writable.
    private func checkOutputs() throws {
        for path in [options.sheet, options.page] where !options.isForced {
            guard access(path, F_OK) != 0 else { throw OutputExists(path: path) }
        }
        try OutputFiles(["-o": options.sheet, "the page": options.page]).check(topic: .gallery)
    }

    private func conclude(_ tiles: [GalleryTile], _ layout: SheetLayout) {
        do {
            let image = try ContactSheet(tiles: tiles, layout: layout).image()
            try NewFile(options.sheet).save(try PNGEncoder().data(for: image))
            let name = URL(fileURLWithPath: options.sheet).lastPathComponent
            let page = GalleryPage(tiles: tiles, layout: layout, sheet: name)
            try NewFile(options.page).save(Data(page.html.utf8))
        } catch {
            Console.complain(ErrorSentence.text(for: error))
            ExitCode.failed.leave()
        }
        if !options.isQuiet {
            Console.toError("The sheet: \(options.sheet)\nThe page: \(options.page)\n")
        }
        (tiles.allSatisfy { $0.problem == nil } ? ExitCode.success : .failed).leave()
    }
}

/// An output is there already.
struct OutputExists: Error, CustomStringConvertible {
    let path: String

    var description: String {
        "\(path) is there already; use --force to replace it, or another name with -o."
    }
}
