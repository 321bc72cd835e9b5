import Foundation

/// A stored response without its body, and what follows from its fields, computed once.
final class StoredHead: Sendable, Codable {
    let key: CacheKey
    let status: Int
    let fields: HeaderFields
    let varyKey: VaryKey
    let requestTime: Date
    let responseTime: Date
    /// Whether the body was decoded by its Content-Encoding before it was stored.
    let isDecoded: Bool
    let bodySize: Int
    /// Whether a lifetime may be estimated where the origin gives none.
    let isGuessed: Bool

    // MARK: Read from these

    let control: CacheControl
    /// Seconds for which the response is fresh (RFC 9111 section 4.2.1); 0 where that cannot be
    /// read.
    let lifetime: TimeInterval
    /// The response's age when it was received (RFC 9111 section 4.2.3).
    private let initialAge: TimeInterval
    let entityTag: String?
    /// The fields of a request that revalidates the response (RFC 9111 section 4.3.1).
    let validators: HeaderFields
    /// How many bytes header and body take in memory, roughly.
    let wholeCost: Int
    var headCost: Int { wholeCost - bodySize }

    private enum CodingKeys: String, CodingKey {
        case varyKey = "selection"
        case key, status, fields, requestTime, responseTime, isDecoded, bodySize
        case isGuessed
    }

    /// - Parameter fields: those that may be stored.
    init(
        key: CacheKey, status: Int, fields: HeaderFields, varyKey: VaryKey,
        requestTime: Date, responseTime: Date, isDecoded: Bool, bodySize: Int,
        isGuessed: Bool
    ) {
        var fields = fields
        // A response without a Date was made when it was received (RFC 9110 section 6.6.1).
        if fields["Date"] == nil {
            fields.set("Date", to: HTTPDate.text(responseTime))
        }
        self.key = key
        self.status = status
        self.fields = fields
        self.varyKey = varyKey
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isDecoded = isDecoded
        self.bodySize = bodySize
        self.isGuessed = isGuessed

        control = CacheControl(fields.values(of: "Cache-Control"))
        let date = fields.date(of: "Date", now: responseTime) ?? responseTime
        let modified = fields.date(of: "Last-Modified", now: responseTime)
        switch control.seconds("max-age") {
        case .value(let seconds): lifetime = TimeInterval(seconds)
        case .invalid: lifetime = 0
        case .absent where fields["Expires"] != nil:
            let expires = fields.date(of: "Expires", now: responseTime)
            lifetime = max(0, expires?.timeIntervalSince(date) ?? 0)
        case .absent:
            // A tenth of the time since the last change, at most a day (section 4.2.2).
            let mayGuess =
                isGuessed
                && (StorageRule.isHeuristicallyCacheable(status) || control.has("public"))
            let guess = mayGuess ? modified.map { date.timeIntervalSince($0) / 10 } : nil
            lifetime = min(max(0, guess ?? 0), 86_400)
        }

        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let ageField =
            fields["Age"].flatMap { FieldValue.members(of: $0).first }
            .flatMap(CacheControl.deltaSeconds) ?? 0
        initialAge = max(apparent, TimeInterval(ageField) + delay)

        // A tag with control bytes could not be sent back.
        entityTag = fields["ETag"].flatMap {
            $0.isEmpty || !RequestField.isValue($0) ? nil : $0
        }
        var validators = HeaderFields()
        validators.reserve(bytes: 128, lines: 2)
        if let entityTag { validators.append("If-None-Match", entityTag) }
        if modified != nil, let value = fields["Last-Modified"] {
            validators.append("If-Modified-Since", value)
        }
        self.validators = validators
        wholeCost =
            512 + bodySize + fields.byteCount + 64 * fields.count + validators.byteCount
            + (entityTag?.utf8.count ?? 0)
    }

    convenience init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            key: try values.decode(CacheKey.self, forKey: .key),
            status: try values.decode(Int.self, forKey: .status),
            fields: try values.decode(HeaderFields.self, forKey: .fields),
            varyKey: try values.decode(VaryKey.self, forKey: .varyKey),
            requestTime: try values.decode(Date.self, forKey: .requestTime),
            responseTime: try values.decode(Date.self, forKey: .responseTime),
            isDecoded: try values.decode(Bool.self, forKey: .isDecoded),
            bodySize: try values.decode(Int.self, forKey: .bodySize),
            isGuessed: try values.decode(Bool.self, forKey: .isGuessed))
    }

    /// Seconds since the origin made or confirmed the response (RFC 9111 section 4.2.3).
    func age(at now: Date) -> TimeInterval {
        initialAge + max(0, now.timeIntervalSince(responseTime))
    }

    /// Whether a cache that still has this header in place of a newer one asks the server at least as often.
    func allowsNoMore(than newer: StoredHead) -> Bool {
        // The lifetimes, which come from max-age and other fields, are compared below.
        guard control.equals(newer.control, exceptFor: "max-age"),
            fields.values(of: "Vary") == newer.fields.values(of: "Vary")
        else { return false }
        let end = responseTime - initialAge + lifetime
        return end < newer.responseTime - newer.initialAge + newer.lifetime + 1
    }

    /// This header, updated from a newer one for the same body (RFC 9111 section 3.2).
    func updated(
        from newer: HeaderFields, to request: CacheRequest, requestTime: Date, responseTime: Date
    ) -> StoredHead {
        var fields = fields
        fields.update(from: newer)
        return StoredHead(
            key: key, status: status, fields: fields,
            varyKey: VaryKey(of: request, vary: fields), requestTime: requestTime,
            responseTime: responseTime, isDecoded: isDecoded, bodySize: bodySize,
            isGuessed: isGuessed)
    }
}
