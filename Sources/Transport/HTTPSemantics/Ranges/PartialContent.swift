import Foundation
public import FoundationNetworking

/// Pure: how a download that stopped goes on (wound 9; RFC 9110 sections 13.1.5 and 14).
///
/// A part is continued only with a validator that says it is the same entity: a strong `ETag`, or
/// else `Last-Modified`. Without one the download starts over.
public struct PartialContent: Hashable, Sendable, Codable {
    /// The bytes there are: the next one asked for is at this offset.
    public var offset: Int64
    /// The value `If-Range` takes.
    public var validator: String
    /// The whole length in bytes, where it is known.
    public var totalLength: Int64?
    /// The content coding of its bytes, which are kept as they were sent; nil: none.
    package var coding: String?

    /// A part of a known entity.
    public init(offset: Int64, validator: String, totalLength: Int64?) {
        self.offset = offset
        self.validator = validator
        self.totalLength = totalLength
    }

    /// The part that an interrupted answer left.
    ///
    /// Nil when it cannot be continued: no validator, a coded body, or a status other than 200 and
    /// 206.
    ///
    /// - Parameter stored: the bytes there are; 0 for a part that is only beginning.
    public init?(of response: URLResponse?, stored: Int64) {
        self.init(of: response, stored: stored, validator: nil)
    }

    /// - Parameter validator: the one known from before, for an answer that names none.
    /// - Parameter isAsSent: whether a coded body is kept as it was sent, so that it can be continued.
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

    /// The request for the rest.
    public func request(continuing request: URLRequest) -> URLRequest {
        var next = request
        next.setValue("bytes=\(offset)-", forHTTPHeaderField: "Range")
        next.setValue(validator, forHTTPHeaderField: "If-Range")
        return next
    }

    /// What an answer to that request means for the bytes there are.
    public enum Answer: Hashable, Sendable {
        /// The rest follows: append it.
        case append
        /// The whole entity follows; whether it is the same one says the flag.
        case startOver(isSameEntity: Bool)
        /// There is nothing more: the part is the whole.
        case complete
        /// Neither; the part is kept and the download fails.
        case refuse(String)
    }

    /// Judges an answer by status, offset and validator.
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
            // A date, or a tag of another kind, may be that of the error's own text.
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

    /// Whether a range has the coding of the part. One that continues a part need not repeat it (RFC 9110
    /// section 15.3.7); without a strong entity tag both codings may have one validator.
    private func isOfSameCoding(_ response: HTTPURLResponse) -> Bool {
        Self.coding(of: response) == coding
            || validator.hasPrefix("\"") && Self.validator(of: response) == validator
    }

    /// Whether an answer that does not continue the part says that the server has another entity by now.
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

    /// The length that the part must have after the body of a 206 was appended: that of the whole, where this
    /// content or the response names it, otherwise the end of the response's range. A server may send less of the
    /// rest than it was asked for (RFC 9110 section 15.3.7).
    package func whole(after response: HTTPURLResponse) -> Int64? {
        let range = ContentRange(response)
        return totalLength ?? range?.total ?? range?.end
    }

    /// The length of the whole when an answer announces so many bytes behind an offset; -1 where that
    /// is unknown or no length, for a server may announce any number.
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

    /// A strong entity tag, also one without the quotes it should have; else the date of the last
    /// change.
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
