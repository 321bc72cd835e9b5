import TestSupport

@testable import HTTPSemantics

@Suite("A URL from a text", .timeLimit(.minutes(1)))
struct WrittenURLTests {
    @Test(arguments: [
        ("http://h/my file%2Fa.txt", "http://h/my%20file%2Fa.txt"),
        ("http://h/ü%20x", "http://h/%C3%BC%20x"),
        ("http://h/テスト%20f", "http://h/%E3%83%86%E3%82%B9%E3%83%88%20f"),
        ("http://h/i?filter[name]=a%20b", "http://h/i?filter%5Bname%5D=a%20b"),
        ("http://h/a%20b?c d%2Be#f g%23h", "http://h/a%20b?c%20d%2Be#f%20g%23h"),
        (
            "http://h/a|b%7Cc^d\"e<f>g\\h`i{j}%2f",
            "http://h/a%7Cb%7Cc%5Ed%22e%3Cf%3Eg%5Ch%60i%7Bj%7D%2f"
        ),
        ("http://h/#a#b%20", "http://h/#a%23b%20"),
        ("http://ü%40:p w%2F@h/", "http://%C3%BC%40:p%20w%2F@h/"),
        ("http://a@b:c@h/%20 ", "http://a%40b:c@h/%20%20"),
        ("http://bücher.test:80/x%2Fy z", "http://xn--bcher-kva.test:80/x%2Fy%20z"),
        ("http://[::1]:8/a[b]%20", "http://[::1]:8/a%5Bb%5D%20"),
        ("http://h/?a=http://i/?b c%26", "http://h/?a=http://i/?b%20c%26"),
        ("http://h/\u{80}%20\u{9F}", "http://h/%C2%80%20%C2%9F"),
        ("mailto:a b%20c", "mailto:a%20b%20c"),
    ])
    func `what is illegal is escaped, and what is escaped stays`(text: String, url: String) {
        #expect(WrittenURL.url(text)?.absoluteString == url)
    }

    @Test(arguments: [
        ("http://h/100%", "http://h/100%25"), ("http://h/%zz%2F", "http://h/%25zz%2F"),
        ("http://h/%2", "http://h/%252"), ("http://h/%%41", "http://h/%25%41"),
        ("http://h/%u00e9 %20", "http://h/%25u00e9%20%20"),
        ("http://h/%é%C3", "http://h/%25%C3%A9%C3"),
    ])
    func `a percent sign without two digits is one that was meant`(text: String, url: String) {
        #expect(WrittenURL.url(text)?.absoluteString == url)
    }

    @Test(arguments: [
        ("?q=a b%20", "http://base/p/q?q=a%20b%20"), ("//host/x y%2F", "http://host/x%20y%2F"),
        ("#f g%20", "http://base/p/q?r#f%20g%20"), ("../a b%2F:c", "http://base/a%20b%2F:c"),
        ("/my file%2Fa.txt", "http://base/my%20file%2Fa.txt"), ("s%20 t", "http://base/p/s%20%20t"),
        ("HTTP://Other/ %20", "HTTP://Other/%20%20"),
    ])
    func `a reference is resolved in the same way`(text: String, url: String) throws {
        let base = try #require(URL(string: "http://base/p/q?r#s"))
        #expect(WrittenURL.url(text, relativeTo: base)?.absoluteString == url)
    }

    @Test(arguments: [
        "", "http://h/a\tb", "http://h/a\r\nb", "http://h/\u{0}", "http://h/\u{7F}", "http://[::1",
        "http://h o/", "http://h:x/", "http://a<b/",
    ])
    func `a control character, a broken host or nothing is no URL`(text: String) {
        #expect(WrittenURL.url(text) == nil)
    }

    @Test
    func `any text becomes a URL that needs no more escapes, or none, and a second time the same`()
        throws
    {
        var state: UInt64 = 11
        let signs = Array("a%2Fz09/?#[]@:;&=+ |^\\\"<>`{}é漢.-_~")
        for _ in 0..<3000 {
            let tail = (0..<12).map { _ in
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return signs[Int(state >> 33) % signs.count]
            }
            guard let url = WrittenURL.url("http://h/" + String(tail)) else { continue }
            let text = url.absoluteString
            #expect(URL(string: text, encodingInvalidCharacters: false) == url, "\(tail)")
            #expect(WrittenURL.url(text) == url, "\(tail)")
        }
    }

    @Test
    func `an address that is no UTF-8 goes back byte by byte`() {
        var fields = HeaderFields()
        let bytes = Array("/caf".utf8) + [0xE9, 0x25, 0x32, 0x46]
        "Location".utf8CString.withUnsafeBytes { name in
            bytes.withUnsafeBytes { value in
                fields.append(name: UnsafeRawBufferPointer(rebasing: name.dropLast()), value: value)
            }
        }
        fields.append("Content-Location", "/caf\u{E9}")
        #expect(fields.address(of: "location") == "/caf%E9%2F")
        #expect(fields.address(of: "Content-Location") == "/caf\u{E9}")
        #expect(fields.address(of: "Link") == nil)
    }
}
