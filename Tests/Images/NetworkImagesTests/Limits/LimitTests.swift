import TestSupport

@testable import NetworkImages

@Suite("Limits", .timeLimit(.minutes(2)))
struct LimitTests {
    private static func error(_ name: String, _ set: (inout ImageLimits) -> Void) throws
        -> ImageLimitError?
    {
        var decoder = ImageDecoder()
        set(&decoder.limits)
        let file = try Pixels.file(name)
        do {
            _ = try decoder.image(from: file)
            return nil
        } catch let error as ImageLimitError {
            return error
        }
    }

    @Test(arguments: ["gradient.png", "gradient.jpg", "bar.gif", "squares.bmp"])
    func `each limit is refused by its name, and what is just within is not`(_ name: String) throws
    {
        #expect(try Self.error(name) { $0.maximumPixels = 160 * 120 } == nil)
        #expect(try Self.error(name) { $0.maximumPixels = 160 * 120 - 1 }?.limit == .pixels)
        #expect(try Self.error(name) { $0.maximumSide = 160 } == nil)
        #expect(try Self.error(name) { $0.maximumSide = 159 }?.limit == .side)
        let bytes = try ImageDecoder().header(of: Pixels.file(name)).decodedBytes
        #expect(try Self.error(name) { $0.maximumDecodedBytes = bytes } == nil)
        #expect(
            try Self.error(name) { $0.maximumDecodedBytes = bytes - 1 }?.limit == .decodedBytes)
    }

    @Test func `frames of an animation and pictures of an icon are counted`() throws {
        #expect(try Self.error("bar.gif") { $0.maximumFrames = 12 } == nil)
        #expect(try Self.error("bar.gif") { $0.maximumFrames = 11 }?.limit == .frames)
        #expect(try Self.error("icon.ico") { $0.maximumFrames = 0 }?.limit == .frames)
    }

    @Test func `an error of a limit says what to set`() {
        let error = ImageLimitError(.pixels, 64)
        #expect(error.localizedDescription.contains("limits.maximumPixels"))
        #expect((error as NSError).domain == "NetworkImages.limit")
        #expect((error as NSError).code == 1)
    }

    @Test func `a target size makes room within the limit of bytes`() throws {
        var decoder = ImageDecoder()
        decoder.limits.maximumDecodedBytes = 20_000
        #expect(throws: ImageLimitError.self) {
            try decoder.image(from: Pixels.file("gradient.jpg"))
        }
        decoder.targetPixelSize = PixelSize(width: 40, height: 30)
        #expect(try decoder.image(from: Pixels.file("gradient.jpg")).pixelWidth == 40)
    }

    @Test func `more bytes than are free wait, in the order of the calls`() async throws {
        let budget = DecodingBudget(bytes: 100)
        let (entered, left) = (Log<Int>(), Signal())
        let gates = (0..<3).map { _ in DispatchSemaphore(value: 0) }
        // No thread stays blocked where the test fails.
        defer { for gate in gates { gate.signal() } }
        // 60 are taken; 50 and 30 wait, though 30 would have room.
        for (number, bytes) in [60, 50, 30].enumerated() {
            Thread.detachNewThread {
                budget.perform(taking: bytes) {
                    entered.add(number)
                    gates[number].wait()
                }
                left.fire()
            }
            if number == 0 {
                #expect(await entered.reaches(1))
            } else {
                let end = Date() + patience
                while budget.waiting < number, Date() < end { await Task.yield() }
                try #require(budget.waiting == number)
            }
        }
        #expect(entered.all == [0] && budget.free == 40)
        gates[0].signal()
        #expect(await entered.reaches(3))
        #expect(Set(entered.all[1...]) == [1, 2] && budget.free == 20)
        gates[1].signal()
        gates[2].signal()
        await left.wait(for: 3)
        #expect(budget.free == 100)
    }

    @Test func `an image that asks for more than there is runs alone`() {
        let budget = DecodingBudget(bytes: 100)
        budget.perform(taking: 1000) { #expect(budget.free == 0) }
        #expect(budget.free == 100)
    }
}
