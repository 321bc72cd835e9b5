import TestSupport

/// A picture of a collection, and what other decoders made of it.
struct PictureCase: Decodable, Sendable, CustomTestStringConvertible {
    enum Expectation: String, Decodable {
        case decode, error, refuse, limit, either
    }

    /// A picture in an icon file.
    struct Entry: Decodable {
        let decoded: [Int]?
        let premultipliedSHA256: String?
    }

    let id: String
    let kind: String
    let expect: Expectation
    let width: Int?
    let height: Int?
    let orientation: Int?
    let orientationOpen: Bool?
    let frames: Int?
    let premultipliedSHA256: [String]?
    let premultipliedRoundedSHA256: [String]?
    let composedPremultipliedSHA256: [String]?
    let composedSize: [Int]?
    let libjpegRGBSHA256: String?
    let thumbnail: String?
    let tolerance: Int?
    let delaysMS: [Int]?
    let loop: Int?
    let decodersDiffer: String?
    let seconds: Double?
    let entries: [Entry?]?

    var testDescription: String { id }

    private static let names = [
        "premultiplied_sha256": "premultipliedSHA256",
        "premultiplied_rounded_sha256": "premultipliedRoundedSHA256",
        "composed_premultiplied_sha256": "composedPremultipliedSHA256",
        "libjpeg_rgb_sha256": "libjpegRGBSHA256", "delays_ms": "delaysMS",
        "orientation_open": "orientationOpen", "composed_size": "composedSize",
        "decoders_differ": "decodersDiffer",
    ]

    private struct Key: CodingKey {
        let stringValue: String
        let intValue: Int? = nil
        init(stringValue: String) { self.stringValue = stringValue }
        init?(intValue: Int) { nil }
    }

    /// The cases that a collection's `pictures.json` lists.
    static func all(in file: URL) throws -> [PictureCase] {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .custom { path in
            let name = path.last?.stringValue ?? ""
            return Key(stringValue: names[name] ?? name)
        }
        return try decoder.decode([PictureCase].self, from: Data(contentsOf: file))
    }
}
