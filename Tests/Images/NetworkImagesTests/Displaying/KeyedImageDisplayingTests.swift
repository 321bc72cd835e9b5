import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("A button of several pictures (IM-36, IM-37)", .timeLimit(.minutes(5)))
@MainActor
struct KeyedImageDisplayingTests {
    typealias Key = ControlImageKey<Button.State>

    private let world = TestWorld.pictures()
    private let button: Button
    private let calls = Calls()

    init() {
        button = Button(world.downloader)
    }

    @Test func `each state and place has a download of its own`() async throws {
        let keys = [
            Key(.normal), Key(.selected), Key(.normal, .background), Key(.selected, .background),
        ]
        for (number, key) in keys.enumerated() {
            button.setImage(for: key, with: world.url("/held/\(number + 5)"))
        }
        #expect(keys.allSatisfy { button.imageLoads[$0].isLoading })
        button.cancelImageDownload(for: keys[1])
        for number in 5...8 { world.server.release("/held/\(number)") }
        #expect(await comesTrue { button.shown.count == 3 })
        await MainQueue.settle()
        #expect(button.shown == [keys[0]: [5], keys[2]: [7], keys[3]: [8]])
        #expect(keys.allSatisfy { !button.imageLoads[$0].isLoading })
    }

    @Test(arguments: [Key.Place.image, .background])
    func `a picture can be cancelled and asked for again at once`(_ place: Key.Place) async throws {
        let key = Key(.normal, place)
        button.setImage(for: key, with: world.url("/held/7"))
        button.cancelImageDownload(for: key)
        button.setImage(for: key, with: world.url("/held/7"), placeholder: try Pixels.plain(1, 1))
        world.server.release("/held/7")
        #expect(await comesTrue { button.shown[key] == [1, 7] })
        // A kept one is shown at once.
        button.setImage(for: key, with: world.url("/held/7"), placeholder: try Pixels.plain(1, 1))
        #expect(button.shown[key] == [1, 7, 7])
    }

    @Test func `success takes the place of showing, failure has the error`() async throws {
        let key = Key(.normal)
        button.setImage(for: key, with: world.request("/image/7"), success: calls.success)
        #expect(await comesTrue { calls.images.count == 1 })
        button.setImage(for: key, with: world.request("/nothing"), failure: calls.failure)
        #expect(await comesTrue { calls.errors.count == 1 })
        #expect(button.shown.isEmpty && calls.errors[0].code == NSURLErrorBadServerResponse)
    }
}
