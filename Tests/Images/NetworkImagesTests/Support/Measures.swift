import COpenSSL
import Foundation
import ProcessUse

/// SHA-256 in hexadecimal digits.
func sha256(_ data: some DataProtocol) -> String {
    var digest = [UInt8](repeating: 0, count: 32)
    let bytes = Array(data)
    SHA256(bytes, bytes.count, &digest)
    return digest.map { String(format: "%02x", $0) }.joined()
}

/// The processor time that a piece of work takes on this thread, in seconds.
func processorTime<Result>(of work: () throws -> Result) rethrows -> (Result, Double) {
    let start = ProcessorTime.ofThisThread
    let result = try work()
    return (result, Double(ProcessorTime.ofThisThread - start) / 1e9)
}

/// How many times slower this build may be than one that is optimized: a limit of time is meant for
/// that one.
let slowness: Double = {
    var isDebug = false
    assert({ isDebug = true }() == ())
    let isChecked = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
    return (isDebug ? 4 : 1) * (isChecked ? 3 : 1)
}()

extension Data {
    /// R G B of each pixel of R G B A.
    var withoutAlpha: Data {
        var plain = Data(capacity: count / 4 * 3)
        withUnsafeBytes { bytes in
            for pixel in Swift.stride(from: 0, to: bytes.count, by: 4) {
                plain.append(contentsOf: bytes[pixel..<pixel + 3])
            }
        }
        return plain
    }

    /// Premultiplied pixels, laid on white.
    var onWhite: Data {
        var painted = self
        for pixel in Swift.stride(from: 0, to: count, by: 4) {
            let missing = 255 - self[pixel + 3]
            for color in pixel..<pixel + 3 { painted[color] = self[color] + missing }
            painted[pixel + 3] = 255
        }
        return painted
    }
}
