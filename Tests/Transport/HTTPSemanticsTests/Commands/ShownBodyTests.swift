import TestSupport

@testable import HTTPSemantics

@Suite("Bodies in descriptions", .timeLimit(.minutes(1)))
struct ShownBodyTests {
    @Test(
        arguments: [
            ("", ""), ("plain text", "plain text"), ("a=1&b=é", "a=1&b=é"),
            ("a=1&token=t", "a=1&token=REDACTED"), (#"{"a": 1}"#, #"{"a": 1}"#),
            (#"{"token":"t","a":[1]}"#, #"{"a":[1],"token":"REDACTED"}"#),
            (#"[{"password":1}]"#, #"[{"password":"REDACTED"}]"#), ("{no json", "{no json"),
            (#"{"token":null}"#, #"{"token":null}"#),
            ("see https://u:p@h/ there", "see https://REDACTED@h/ there"),
        ])
    func `secrets are masked by their names, and other text is unchanged`(
        _ body: String, _ shown: String
    ) {
        #expect(ShownBody.text(Data(body.utf8)) == shown)
    }
}
