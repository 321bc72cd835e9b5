import TestSupport

@testable import HTTPSemantics

@Suite("Public suffixes", .timeLimit(.minutes(1)))
struct PublicSuffixListTests {
    @Test(
        arguments: [
            "com", "COM", "co.uk", "CO.UK", "Co.Uk.", "github.io", "c.kobe.jp", "公司.cn",
            "公司.CN", "xn--55qx5d.cn", "XN--55QX5D.CN", "localhost", "test",
        ])
    func `registries' domains are public suffixes, however they are written`(_ domain: String) {
        #expect(PublicSuffixList.isPublicSuffix(domain))
        #expect(PublicSuffixList.registrableDomain(of: domain) == nil)
    }

    @Test(
        arguments: [
            ("example.co.uk", "example.co.uk"), ("WWW.Example.CO.UK", "example.co.uk"),
            ("www.example.com.", "example.com"), ("a.github.io", "a.github.io"),
            ("city.kobe.jp", "city.kobe.jp"), ("食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
            ("a.xn--85x722f.XN--55QX5D.cn", "xn--85x722f.xn--55qx5d.cn"),
            ("x.y.internal", "y.internal"), ("a_b.example.com", "example.com"),
        ])
    func `a registered domain is no public suffix`(_ domain: String, _ registrable: String) {
        #expect(!PublicSuffixList.isPublicSuffix(domain))
        #expect(PublicSuffixList.registrableDomain(of: domain) == registrable)
    }

    @Test(
        arguments: ["127.0.0.1", "127.1", "0x7f.1", "1", "::1", "fe80::1%eth0", "10.0.0.1."])
    func `an address is never one and has no registrable domain`(_ address: String) {
        #expect(!PublicSuffixList.isPublicSuffix(address))
        #expect(PublicSuffixList.registrableDomain(of: address) == nil)
    }

    @Test(
        arguments: [
            "", ".", "..", ".com", "a..com", "exa mple.com", "example.com/", "a@b.com", "*",
        ])
    func `nothing is shared under what is no host name`(_ text: String) {
        #expect(PublicSuffixList.isPublicSuffix(text))
        #expect(PublicSuffixList.registrableDomain(of: text) == nil)
    }

    @Test(
        arguments: [
            ("com", true), ("CO.UK", true), ("公司.cn", true), ("localhost", true), ("a..b", true),
            ("github.io", false), ("s3.amazonaws.com", false), ("example.com", false),
            ("127.0.0.1", false),
        ])
    func `a registry is a public suffix that no single owner asked to be listed`(
        _ domain: String, _ isRegistry: Bool
    ) {
        #expect(PublicSuffixList.isRegistry(domain) == isRegistry)
    }
}
