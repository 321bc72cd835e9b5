import Foundation
import NetworkImages

/// The bodies that the server gives out.
enum Bodies {
    /// How many small files there are, "small/1.bin" and so on, and how long each is.
    static let smallCount = 2_000
    static let smallLength = 10_000

    /// The length of the large body: 1 GiB, or as many MiB as BENCH_LARGE_MIB says.
    static func largeLength(isQuick: Bool) -> Int {
        let asked = ProcessInfo.processInfo.environment["BENCH_LARGE_MIB"].flatMap { Int($0) }
        return max(1, asked ?? (isQuick ? 32 : 1024)) << 20
    }

    static func write(into folder: URL, largeLength: Int) throws {
        try Data(repeating: 0x61, count: 1024).write(to: folder.appending(path: "1k.bin"))
        try Data(repeating: 0x62, count: 100 << 10).write(to: folder.appending(path: "100k.bin"))
        try json().write(to: folder.appending(path: "100k.json"))
        try picture().write(to: folder.appending(path: "100k.png"))
        let small = folder.appending(path: "small")
        try FileManager.default.createDirectory(at: small, withIntermediateDirectories: true)
        for number in 1...smallCount {
            try Data(repeating: UInt8(number & 255), count: smallLength)
                .write(to: small.appending(path: "\(number).bin"))
        }
        // Without content on disk, so that no disk is measured.
        let large = folder.appending(path: "large.bin")
        _ = FileManager.default.createFile(atPath: large.path, contents: nil)
        let handle = try FileHandle(forWritingTo: large)
        try handle.truncate(atOffset: UInt64(largeLength))
        try handle.close()
        // Read once, so that the first client does not pay for the kernel's pages.
        let reader = try FileHandle(forReadingFrom: large)
        while let piece = try reader.read(upToCount: 1 << 20), !piece.isEmpty {}
        try reader.close()
    }

    /// About 100 KB of PNG: a gradient with noise, which is what makes a photograph large.
    private static func picture() throws -> Data {
        let size = PixelSize(width: 288, height: 220)
        var seed: UInt32 = 1
        var pixels = Data(capacity: size.width * size.height * 4)
        for row in 0..<size.height {
            for column in 0..<size.width {
                seed = seed &* 1_664_525 &+ 1_013_904_223
                let noise = seed >> 16
                for color in 0..<UInt32(3) {
                    let level = UInt32(column + row) / 3 + color * 8
                    pixels.append(UInt8(level + (noise >> (color * 3) & 7)))
                }
                pixels.append(255)
            }
        }
        guard let image = DecodedImage(pixels: pixels, size: size) else {
            throw BenchError("the picture cannot be drawn")
        }
        return try PNGEncoder().data(for: image)
    }

    /// About 100 KB of what services send: objects with texts, numbers, flags and lists.
    private static func json() throws -> Data {
        let records = (0..<360).map(record)
        return try JSONSerialization.data(
            withJSONObject: ["items": records, "count": records.count] as [String: Any],
            options: .sortedKeys)
    }

    private static func record(_ number: Int) -> [String: Any] {
        let place = ["lat": 48.137 + Double(number) / 1000, "lon": -1.1575]
        return [
            "id": number, "name": "Récord \(number) – \"quoted\" \\ and a\ttab",
            "price": Double(number) * 1.25 + 0.1, "isActive": number % 3 == 0,
            "parent": number % 5 == 0 ? NSNull() as Any : number / 5 as Any,
            "tags": ["red", "größer", "\u{1F600}", "line\nbreak"], "place": place,
            "text": String(repeating: "lorem ipsum dolor sit amet ", count: 3),
        ]
    }
}

/// A certificate for 127.0.0.1, made for this run.
enum Identity {
    static func make(in folder: URL, authorities: String) throws {
        let certificate = folder.appending(path: "certificate.pem").path
        let words = [
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
            "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1",
            "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost",
            "-keyout", folder.appending(path: "key.pem").path, "-out", certificate,
        ]
        guard Child.succeeds(words) else {
            throw BenchError("openssl could not make a certificate; is it installed?")
        }
        // Beside the system's own, as a company's authority would be: who reads them all for each
        // connection pays for it.
        let system = "/etc/ssl/certs/ca-certificates.crt"
        var all = FileManager.default.contents(atPath: system) ?? Data()
        all += FileManager.default.contents(atPath: certificate) ?? Data()
        try all.write(to: URL(filePath: authorities))
    }
}
