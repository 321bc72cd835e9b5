import EventRecorder
import Foundation
import TimelinePage

func recorded(into folder: URL, _ run: () async -> Void) async throws {
    // snippet: begin
    try EventRecorder.start()
    await run()
    let recording = EventRecorder.stop()
    let page = TimelinePage.html(of: recording, title: "My run")
    try Data(page.utf8).write(to: folder.appendingPathComponent("run.html"))
    // For ui.perfetto.dev, and for the network panel of a browser.
    try recording.perfettoTrace().write(to: folder.appendingPathComponent("run.json"))
    try recording.har().write(to: folder.appendingPathComponent("run.har"))
    // snippet: end
}
