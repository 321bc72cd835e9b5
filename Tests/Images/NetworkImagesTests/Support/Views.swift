import OperationNetworking
import TestSupport

@testable import NetworkImages

/// A view that writes down what it showed, by widths; 0 is nothing.
@MainActor
final class View: ImageDisplaying {
    let imageLoad = ImageLoad()
    private(set) var shown: [Int] = []
    var image: DecodedImage? {
        didSet { shown.append(image?.pixelWidth ?? 0) }
    }

    nonisolated init() {}

    convenience init(_ downloader: ImageDownloader) {
        self.init()
        imageLoad.downloader = downloader
    }
}

/// A view that does something when it next shows a picture.
@MainActor
final class Restless: ImageDisplaying {
    let imageLoad = ImageLoad()
    var then: (() -> Void)?
    var image: DecodedImage? {
        didSet {
            let then = then
            self.then = nil
            then?()
        }
    }

    init(_ downloader: ImageDownloader) {
        imageLoad.downloader = downloader
    }
}

/// A view of AFNetworking 2, which may do something when it next shows a picture.
@MainActor
final class OldView: OperationImageDisplaying {
    let imageOperation = ImageOperation()
    var then: (() -> Void)?
    private(set) var shown: [Int] = []
    var image: DecodedImage? {
        didSet {
            shown.append(image?.pixelWidth ?? 0)
            let then = then
            self.then = nil
            then?()
        }
    }
}

/// A button with two states.
@MainActor
final class Button: KeyedImageDisplaying {
    enum State: Hashable, Sendable { case normal, selected }

    let imageLoads = ImageLoads<ControlImageKey<State>>()
    private(set) var shown: [ControlImageKey<State>: [Int]] = [:]

    init(_ downloader: ImageDownloader) {
        imageLoads.downloader = downloader
    }

    func showImage(_ image: DecodedImage?, for key: ControlImageKey<State>) {
        shown[key, default: []].append(image?.pixelWidth ?? 0)
    }
}

/// What the blocks of one request were called with.
@MainActor
final class Calls {
    private(set) var images: [DecodedImage] = []
    private(set) var responses: [HTTPURLResponse?] = []
    private(set) var errors: [NSError] = []
    private(set) var requests: [URLRequest] = []

    nonisolated init() {}

    var success: ImageLoad.Success {
        { request, response, image in
            self.requests.append(request)
            self.responses.append(response)
            self.images.append(image)
        }
    }

    var failure: ImageLoad.Failure {
        { request, response, error in
            self.requests.append(request)
            self.responses.append(response)
            self.errors.append(error as NSError)
        }
    }
}

/// Waits, with main free, until something holds; false when that does not happen.
@MainActor
func comesTrue(_ holds: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(60)
    while !holds() {
        if ContinuousClock.now > end { return false }
        await withCheckedContinuation { continuation in
            DispatchQueue.main.asyncAfter(deadline: .now() + .milliseconds(2)) {
                continuation.resume()
            }
        }
    }
    return true
}
