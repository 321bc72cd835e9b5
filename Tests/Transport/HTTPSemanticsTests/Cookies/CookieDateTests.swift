import TestSupport

@testable import HTTPSemantics

@Suite("Dates of cookies, RFC 6265 section 5.1.1", .timeLimit(.minutes(1)))
struct CookieDateTests {
    private static let june9 = Date(timeIntervalSince1970: 4_116_219_494)

    @Test(
        arguments: [
            "Wed, 09 Jun 2100 10:18:14 GMT", "Wednesday, 09-Jun-2100 10:18:14 GMT",
            "Wed Jun  9 10:18:14 2100", "2100 9 JUN 10:18:14", "10:18:14 9 Jun 2100",
            "9/jun/2100/10:18:14", "Wed, 9 June 2100 10:18:14 +0900", "9 Juniper 2100 10:18:14",
            "09 Jun 2100 10:18:14 PST", "\t;9@Jun[2100`10:18:14~", "9th Jun 2100AD 10:18:14.75",
            "x 9 y Jun z 2100 w 10:18:14", "9 Jun 2100 10:18:14 11:12:13 8 Jul 1999",
        ])
    func `the three old formats and any other order of the parts name the same moment`(
        _ text: String
    ) {
        #expect(CookieDate.date(text) == Self.june9)
    }

    @Test
    func `the first number of one or two digits is the day, whatever was meant`() {
        #expect(CookieDate.date("01 02 Jan 0:0:0") == Date(timeIntervalSince1970: 1_009_843_200))
        #expect(CookieDate.date("99-Jun-09 10:18:14") == nil)
    }

    @Test(
        arguments: [(70, 1970), (99, 1999), (0, 2000), (69, 2069)])
    func `steps 3 and 4: years of two digits lie between 1970 and 2069`(_ short: Int, _ full: Int) {
        let text = String(format: "1 Mar %02d 00:00:00", short)
        #expect(CookieDate.date(text) != nil)
        #expect(CookieDate.date(text) == CookieDate.date("1 Mar \(full) 00:00:00"))
    }

    @Test(
        arguments: [
            "0 Jan 2020 00:00:00", "32 Jan 2020 00:00:00", "1 Jan 1600 00:00:00",
            "1 Jan 100 00:00:00", "1 Jan 2020 24:00:00", "1 Jan 2020 00:60:00",
            "1 Jan 2020 00:00:60",
        ])
    func `step 5: what lies outside its range is no date`(_ text: String) {
        #expect(CookieDate.date(text) == nil)
    }

    @Test(
        arguments: [
            "", ";", "Jan 2020 00:00:00", "1 2020 00:00:00", "1 Jan 00:00:00", "1 Jan 2020",
            "1 Jan 2020 00:00", "1 Jan 20200 00:00:00", "1 Jän 2020 00:00:00",
            "1 Jan 2020 000:00:00", "1 Jan 2020 00:000:00", "1 Jan 2020 :00:00",
            "1 Jan 2020 00:00:000", "1 Jan 2020 ab:cd:ef", "1577836800", "+1d",
            "١ Jan 2020 00:00:00",
        ])
    func `step 5: a missing or malformed part is no date`(_ text: String) {
        #expect(CookieDate.date(text) == nil)
    }

    @Test(
        arguments: [
            "30 Feb 2020 00:00:00", "29 Feb 2021 00:00:00", "31 Apr 2020 00:00:00",
            "29 Feb 1900 00:00:00",
        ])
    func `step 6: a day its month does not have is no date`(_ text: String) {
        #expect(CookieDate.date(text) == nil)
    }

    @Test
    func `the first and the last year there are`() {
        #expect(
            CookieDate.date("1 Jan 1601 00:00:00") == Date(timeIntervalSince1970: -11_644_473_600))
        #expect(
            CookieDate.date("31 Dec 9999 23:59:59") == Date(timeIntervalSince1970: 253_402_300_799))
        #expect(CookieDate.date("29 Feb 2000 0:0:0") == Date(timeIntervalSince1970: 951_782_400))
    }
}
