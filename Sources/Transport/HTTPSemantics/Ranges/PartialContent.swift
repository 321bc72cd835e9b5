import Foundation
public import FoundationNetworking

/// What is needed to resume an interrupted download (RFC 9110 sections 13.1.5 and 14).
///
/// A partial file is continued only with a validator that identifies its content: a strong `ETag`,
/// or else `Last-Modified`. Without one the download starts over.
public struct PartialContent: Hashable, Sendable, Codable {
    /// The bytes already stored: the offset of the next byte.
    public var offset: Int64
    /// The value for `If-Range`.
    public var validator: String
    /// The complete length in bytes, where it is known.
    public var totalLength: Int64?
    /// The content coding of the stored bytes, which are not decoded; nil: none.
    package var coding: String?

    /// A partial file of known content.
    public init(offset: Int64, validator: String, totalLength: Int64?) {
        self.offset = offset
        self.validator = validator
        self.totalLength = totalLength
    }

    /// The partial file that an interrupted response left.
    ///
    /// Nil where it cannot be continued: no validator, a content coding, or a status other than 200
    /// and 206.
    ///
    /// - Parameter stored: the bytes stored so far; 0 where there are none yet.
    public init?(of response: URLResponse?, stored: Int64) {
        self.init(of: response, stored: stored, validator: nil)
    }

    /// - Parameter validator: the one known before, for a response that has none.
    /// - Parameter isAsSent: whether a coded body is stored undecoded, so that it can be continued.
    package init?(
        of response: URLResponse?, stored: Int64, validator known: String?, isAsSent: Bool = false
    ) {
        guard let response = response as? HTTPURLResponse, stored >= 0,
            response.statusCode == 200 || response.statusCode == 206,
            let validator = Self.validator(of: response) ?? known,
            isAsSent || Self.coding(of: response) == nil
        else { return nil }
        // A range means nothing in a 200 (RFC 9110 section 14.4).
        let announced = response.expectedContentLength
        let total =
            response.statusCode == 206
            ? ContentRange(response)?.total : announced >= 0 ? announced : nil
        self.init(offset: stored, validator: validator, totalLength: total)
        coding = Self.coding(of: response)
    }

    /// The request for the remaining bytes.
    public func request(continuing request: URLRequest) -> URLRequest {
        var next = request
        next.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        next.setValue(validator, forHTTPHeaderField: "If-Range")
        return next
    }

    /// What a response to that request means for the stored bytes.
    public enum Answer: Hashable, Sendable {
        /// The remaining bytes follow: append them.
        case append
        /// The complete content follows; the flag says whether it is the same content.
        case startOver(isSameEntity: Bool)
        /// There are no more bytes: the file is complete.
        case complete
        /// None of these; the file is kept and the download fails.
        case refuse(String)
    }

    /// Judges a response by status, offset and validator.
    public func judge(_ response: HTTPURLResponse) -> Answer {
        if response.statusCode != 416, let coding = Self.coding(of: response), coding != self.coding
        {
            return .refuse("The server sent the rest in a content coding, which was not asked for.")
        }
        switch response.statusCode {
        case 206:
            guard let range = ContentRange(response), range.isValid, range.first == offset else {
                return .refuse("The server sent another range than the one asked for.")
            }
            guard range.fits(response) else {
                return .refuse("The server announces a range and another length.")
            }
            if let totalLength, let total = range.total, total != totalLength {
                return .refuse("The server's file has another length than before.")
            }
            guard Self.validator(of: response).map({ $0 == validator }) ?? true else {
                return .refuse(Self.hasChanged)
            }
            guard isOfSameCoding(response) else {
                return .refuse("The server does not say which content coding the rest has.")
            }
            return .append
        case 200:
            let isSame =
                validator == Self.validator(of: response)
                && (totalLength == nil || totalLength == response.expectedContentLength)
            return .startOver(isSameEntity: isSame)
        case 416:
            // A date, or an ETag of another strength, may belong to the error's own body.
            if validator.hasPrefix("\""), let tag = response.value(forHTTPHeaderField: "ETag"),
                tag.hasPrefix("\""), tag != validator
            {
                return .refuse(Self.hasChanged)
            }
            let total = ContentRange(response)?.total
            return total == offset && (totalLength ?? offset) == offset
                ? .complete : .refuse("The server has no such range.")
        default:
            return .refuse("The server answered \(response.statusCode) to a request for a range.")
        }
    }

    /// Whether a range has the content coding of the stored bytes. A 206 need not repeat it (RFC
    /// 9110 section 15.3.7); without a strong ETag both codings may have the same validator.
    private func isOfSameCoding(_ response: HTTPURLResponse) -> Bool {
        Self.coding(of: response) == coding
            || validator.hasPrefix("\"") && Self.validator(of: response) == validator
    }

    /// Whether a response that does not continue the file shows that the server has newer content.
    package func isOutdated(by response: HTTPURLResponse) -> Bool {
        let total = ContentRange(response)?.total
        let isOther = total.map { $0 != totalLength ?? $0 } ?? false
        switch response.statusCode {
        case 206:
            return isOther || Self.validator(of: response).map { $0 != validator } ?? false
        case 416:
            let tag = response.value(forHTTPHeaderField: "ETag")
            let areTags = validator.hasPrefix("\"") && tag?.hasPrefix("\"") == true
            return isOther || (areTags && tag != validator) || total.map { $0 < offset } ?? false
        default:
            return false
        }
    }

    private static let hasChanged = "The server's file has changed."

    /// The length that the file must have after a 206 was appended: the complete length, where it
    /// is known, otherwise the end of the response's range. A server may send less than it was
    /// asked for (RFC 9110 section 15.3.7).
    package func whole(after response: HTTPURLResponse) -> Int64? {
        let range = ContentRange(response)
        return totalLength ?? range?.total ?? range?.end
    }

    /// The complete length where a response announces a number of bytes after an offset; -1 where
    /// that is unknown or overflows, for a server may announce any number.
    package static func whole(from offset: Int64, announced: Int64) -> Int64 {
        guard offset >= 0, announced >= 0 else { return -1 }
        let (sum, isTooLarge) = offset.addingReportingOverflow(announced)
        return isTooLarge ? -1 : sum
    }

    /// The content coding of a body, in lower case; nil for none.
    package static func coding(of response: HTTPURLResponse) -> String? {
        let coding = (response.value(forHTTPHeaderField: "Content-Encoding") ?? "").lowercased()
            .trimmingCharacters(in: .whitespaces)
        return coding.isEmpty || coding == "identity" ? nil : coding
    }

    /// A strong ETag, also one without the required quotes; else Last-Modified.
    package static func validator(of response: HTTPURLResponse) -> String? {
        if let tag = response.value(forHTTPHeaderField: "ETag"), !tag.isEmpty,
            !tag.hasPrefix("W/"), RequestField.isValue(tag)
        {
            return tag
        }
        let date = response.value(forHTTPHeaderField: "Last-Modified")
        return date.flatMap { RequestField.isValue($0) ? $0 : nil }
    }
}
