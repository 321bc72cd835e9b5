/// Numbers of the wire.
enum WireNumber {
    /// Digits alone as a number; nil for none, for another byte, and for more than fits.
    static func decimal(_ digits: some Collection<UInt8>) -> Int64? {
        guard !digits.isEmpty else { return nil }
        var number: Int64 = 0
        for digit in digits {
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) else { return nil }
            let (tens, isTooLarge) = number.multipliedReportingOverflow(by: 10)
            let (sum, isLarger) = tens.addingReportingOverflow(Int64(digit & 0x0F))
            if isTooLarge || isLarger { return nil }
            number = sum
        }
        return number
    }
}
