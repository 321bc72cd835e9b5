import Foundation

/// All of a stored answer but its body.
struct StoredHead: Hashable, Sendable, Codable {
    let key: CacheKey
    let status: Int
    private(set) var fields: CacheFields
    private(set) var selection: CacheSelection
    private(set) var requestTime: Date
    private(set) var responseTime: Date
    /// Whether a Content-Encoding was undone before the body was stored.
    let isDecoded: Bool
    /// The bytes of the body as stored.
    let bodySize: Int
    /// Whether a lifetime may be guessed where the origin says none.
    let isGuessed: Bool

    init(
        key: CacheKey, status: Int, fields: CacheFields, selection: CacheSelection,
        requestTime: Date, responseTime: Date, isDecoded: Bool, bodySize: Int,
        isGuessed: Bool
    ) {
        self.key = key
        self.status = status
        self.selection = selection
        self.requestTime = requestTime
        self.responseTime = responseTime
        self.isDecoded = isDecoded
        self.bodySize = bodySize
        self.isGuessed = isGuessed
        self.fields = fields.storable
        addDate()
    }

    /// What head and body take in memory, roughly.
    var wholeCost: Int {
        fields.all.reduce(512 + bodySize) { $0 + $1.name.utf8.count + $1.value.utf8.count + 64 }
    }

    /// What came without a date was made when it came (RFC 9110 section 6.6.1).
    private mutating func addDate() {
        if fields["Date"] == nil {
            fields.set("Date", to: CacheDate.format(responseTime))
        }
    }

    // MARK: Freshness

    var control: CacheControl { CacheControl(fields.values(of: "Cache-Control")) }

    private func date(_ name: String) -> Date? {
        let values = Set(fields.values(of: name))
        guard values.count == 1, let value = values.first else { return nil }
        return CacheDate.parse(value, now: responseTime)
    }

    private var date: Date { date("Date") ?? responseTime }

    /// Seconds for which the answer is fresh (RFC 9111 section 4.2.1); 0 for what cannot be read.
    var lifetime: TimeInterval {
        switch control.seconds("max-age") {
        case .value(let seconds): return TimeInterval(seconds)
        case .invalid: return 0
        case .absent: break
        }
        if fields["Expires"] != nil {
            return max(0, date("Expires")?.timeIntervalSince(date) ?? 0)
        }
        return heuristicLifetime
    }

    /// A tenth of the time since the last change, at most a day (RFC 9111 section 4.2.2).
    private var heuristicLifetime: TimeInterval {
        guard isGuessed,
            StorageRule.isHeuristicallyCacheable(status) || control.has("public"),
            let modified = date("Last-Modified")
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified) / 10), 86_400)
    }

    /// Seconds since the origin made or confirmed the answer (RFC 9111 section 4.2.3).
    func age(at now: Date) -> TimeInterval {
        let apparent = max(0, responseTime.timeIntervalSince(date))
        let delay = max(0, responseTime.timeIntervalSince(requestTime))
        let told =
            fields["Age"].flatMap { CacheFields.members(of: $0).first }
            .flatMap(CacheControl.deltaSeconds) ?? 0
        let resident = max(0, now.timeIntervalSince(responseTime))
        return max(apparent, TimeInterval(told) + delay) + resident
    }

    // MARK: Validation

    var entityTag: String? { fields["ETag"].flatMap { $0.isEmpty ? nil : $0 } }

    /// The fields that ask whether the answer is still the current one (RFC 9111 section 4.3.1).
    var validators: [(name: String, value: String)] {
        var result: [(name: String, value: String)] = []
        if let entityTag {
            result.append(("If-None-Match", entityTag))
        }
        if let value = fields["Last-Modified"], date("Last-Modified") != nil {
            result.append(("If-Modified-Since", value))
        }
        return result
    }

    /// Takes over the head of a newer answer about the same body (RFC 9111 section 3.2).
    mutating func update(
        from newer: CacheFields, to request: CacheRequest, requestTime: Date, responseTime: Date
    ) {
        self.requestTime = requestTime
        self.responseTime = responseTime
        // They tell of the older answer's way and moment.
        fields.remove("Age")
        fields.remove("Date")
        fields.update(from: newer)
        addDate()
        selection = CacheSelection(of: request, vary: fields)
    }
}
