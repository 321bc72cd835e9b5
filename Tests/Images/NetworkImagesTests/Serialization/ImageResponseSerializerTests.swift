import OperationNetworking
import TestSupport

@testable import NetworkImages

@Suite("The image serializer", .timeLimit(.minutes(1)))
struct ImageResponseSerializerTests {
    private static func response(_ type: String?, _ status: Int = 200) throws -> HTTPURLResponse {
        let url = try #require(URL(string: "http://example.com/i"))
        return try #require(
            HTTPURLResponse(
                url: url, statusCode: status, httpVersion: nil,
                headerFields: type.map { ["Content-Type": $0] }))
    }

    private static func result(
        _ type: String, _ body: Data?, status: Int = 200,
        by serializer: ImageResponseSerializer = ImageResponseSerializer()
    ) throws -> (image: DecodedImage?, error: ResponseSerializationError?) {
        let result = serializer.responseObject(for: try response(type, status), data: body)
        if let error = result.error, !(error is ResponseSerializationError) { throw error }
        return (result.object as? DecodedImage, result.error as? ResponseSerializationError)
    }

    // MARK: What is decoded

    @Test func `each format is decoded by its first bytes, under any acceptable type`() throws {
        let serializer = ImageResponseSerializer()
        for type in try #require(serializer.acceptableContentTypes) {
            let (image, error) = try Self.result(type, Pixels.file("gradient.png"), by: serializer)
            #expect(image?.format == .png && error == nil, "\(type)")
        }
        #expect(serializer.acceptableContentTypes?.count == 10)
        let (image, error) = try Self.result("text/html", Pixels.file("gradient.png"))
        #expect(image == nil && error?.reason == .unacceptableContentType("text/html"))
    }

    @Test func `a type that is added is acceptable, to this serializer alone`() throws {
        let serializer = ImageResponseSerializer()
        serializer.acceptableContentTypes?.insert("image/x-own")
        let file = try Pixels.file("gradient.png")
        #expect(try Self.result("image/x-own", file, by: serializer).image != nil)
        #expect(try Self.result("image/x-own", file).error?.reason != nil)
    }

    @Test func `the image of an error status is decoded beside the error`() throws {
        let (image, error) = try Self.result("image/png", Pixels.file("gradient.png"), status: 404)
        #expect(image != nil && error?.reason == .unacceptableStatusCode(404))
    }

    @Test(arguments: [nil, "", "hello", "\u{89}PNG\r\n\u{1A}\n"])
    func `a body that is no image is an error -1016, never a success without one`(
        _ text: String?
    ) throws {
        let body = text.map { Data($0.unicodeScalars.map { UInt8($0.value) }) }
        let (image, error) = try Self.result("image/png", body)
        #expect(image == nil && error?.reason == .undecodableImage)
        #expect((error as NSError?)?.code == NSURLErrorCannotDecodeContentData)
        let cause = error?.underlying as? ImageDecodingError
        #expect(
            cause?.reason == (text?.unicodeScalars.count == 8 ? .truncated(.png) : .unknownFormat))
        let reason = (error as NSError?)?.localizedFailureReason
        #expect(reason == cause?.localizedDescription)
        // Of an error status nothing more is said.
        let status = try Self.result("image/png", body, status: 500).error
        #expect(status?.reason == .unacceptableStatusCode(500) && status?.underlying == nil)
    }

    @Test func `a TIFF is acceptable by its type and refused by its name`() throws {
        let (_, error) = try Self.result("image/tiff", Data([0x49, 0x49, 0x2A, 0]))
        #expect(
            (error?.underlying as? ImageDecodingError)?.reason == .unsupportedFormat("TIFF"))
    }

    @Test func `an image beyond the limits is an error -1103 with the limit beneath`() throws {
        let serializer = ImageResponseSerializer()
        serializer.limits.maximumPixels = 100
        let (image, error) = try Self.result(
            "image/png", Pixels.file("gradient.png"), by: serializer)
        #expect(image == nil && error?.reason == .exceedsLimit(.image))
        #expect((error as NSError?)?.code == NSURLErrorDataLengthExceedsMaximum)
        #expect(error?.underlying as? ImageLimitError == ImageLimitError(.pixels, 100))
    }

    // MARK: Settings

    @Test func `small images are decoded at once, large ones not; without inflation none`() throws {
        let serializer = ImageResponseSerializer()
        let small = try PNGEncoder().data(for: Pixels.plain(1024, 1024))
        let large = try PNGEncoder().data(for: Pixels.plain(1024, 1025))
        #expect(try Self.result("image/png", small, by: serializer).image?.isInflated == true)
        #expect(try Self.result("image/png", large, by: serializer).image?.isInflated == false)
        serializer.automaticallyInflatesResponseImage = false
        #expect(try Self.result("image/png", small, by: serializer).image?.isInflated == false)
    }

    @Test func `scale and target size are the image's`() throws {
        let serializer = ImageResponseSerializer()
        serializer.imageScale = 2
        serializer.targetPixelSize = PixelSize(width: 80, height: 80)
        let image = try Self.result("image/gif", Pixels.file("bar.gif"), by: serializer).image
        #expect(image?.pixelSize == PixelSize(width: 80, height: 60) && image?.width == 40)
    }

    // MARK: Copies and archives

    @Test func `a copy has all settings`() throws {
        let serializer = Self.unusual()
        let copy = try #require(serializer.copy() as? ImageResponseSerializer)
        #expect(copy !== serializer)
        #expect(copy.acceptableContentTypes == ["test/type"])
        #expect(copy.acceptableStatusCodes == [100])
        #expect(copy.imageScale == 2 && !copy.automaticallyInflatesResponseImage)
        #expect(copy.limits == serializer.limits)
        #expect(copy.targetPixelSize == serializer.targetPixelSize)
    }

    private static func unusual() -> ImageResponseSerializer {
        let serializer = ImageResponseSerializer()
        serializer.acceptableContentTypes = ["test/type"]
        serializer.acceptableStatusCodes = [100]
        serializer.imageScale = 2
        serializer.automaticallyInflatesResponseImage = false
        serializer.limits.maximumPixels = 7
        serializer.targetPixelSize = PixelSize(width: 1, height: 1)
        return serializer
    }

    private static func archived(
        _ serializer: ImageResponseSerializer
    ) throws -> ImageResponseSerializer {
        let archive = try NSKeyedArchiver.archivedData(
            withRootObject: serializer, requiringSecureCoding: true)
        return try CheckedArchive.object(of: ImageResponseSerializer.self, from: archive)
    }

    @Test func `it is archived and read with secure coding`() throws {
        #expect(ImageResponseSerializer.supportsSecureCoding)
        let usual = ImageResponseSerializer()
        let read = try Self.archived(usual)
        #expect(read !== usual)
        #expect(read.acceptableContentTypes == usual.acceptableContentTypes)
        #expect(read.acceptableStatusCodes == usual.acceptableStatusCodes)
        #expect(read.imageScale == 1 && read.automaticallyInflatesResponseImage)
    }

    @Test func `an archive has the unusual settings, but neither limits nor target size`() throws {
        let read = try Self.archived(Self.unusual())
        #expect(read.imageScale == 2 && !read.automaticallyInflatesResponseImage)
        #expect(read.limits == ImageLimits() && read.targetPixelSize == nil)
    }
}
