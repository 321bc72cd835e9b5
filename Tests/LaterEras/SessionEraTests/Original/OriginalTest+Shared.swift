/// Tests of serializers and policy, which both eras have in common.
extension OriginalTest {
    static let shared: [OriginalTest] =
        policy + requests + json + responses + xml + propertyLists + compound

    private static let policy = file(
        "AFSecurityPolicyTests",
        [
            .a("testDefaultPolicyPinningModeIsSetToNone", defaultPolicy),
            .a("testDefaultPolicyHasInvalidCertificatesAreDisabledByDefault", defaultPolicy),
            .a("testDefaultPolicyHasDomainNamesAreValidatedByDefault", defaultPolicy),
            .a("testDefaultPolicyHasNoPinnedCertificates", defaultPolicy),
        ])

    private static let requests = file(
        "AFHTTPRequestSerializationTests",
        [
            .a("testThatAFHTTPRequestSerializationSerializesPOSTRequestsProperly", recorded),
            .a(
                withoutParameter,
                request(
                    "other methods carry a form, with its type even when there is nothing in it")),
            .a("testThatAFHTTPRequestSerialiationSerializesQueryParametersCorrectly", query),
            .a(
                "testThatEmptyDictionaryParametersAreProperlyEncoded",
                .not("2.x's serializer, which the eras share, writes a bare `?` (wound 59)")),
            .a(
                "testThatAFHTTPRequestSerialiationSerializesURLEncodableQueryParametersCorrectly",
                escaping),
            .a(
                "testThatAFHTTPRequestSerialiationSerializesURLEncodedQueryParametersCorrectly",
                escaping),
            .a(
                "testThatAFHTTPRequestSerialiationSerializesQueryParametersCorrectlyFromQuerySerializationBlock",
                request(
                    "a query block's text is used as it is; it sees the request without the defaults"
                )),
            .a(
                "testThatAFHTTPRequestSerialiationSerializesMIMETypeCorrectly",
                .shared(
                    file: "MIMETypesTests",
                    test: "the common ones are known with and without a system")),
            .a("testThatValueForHTTPHeaderFieldReturnsSetValue", header),
            .a("testThatValueForHTTPHeaderFieldReturnsNilForUnsetHeader", header),
            .a(
                "testQueryStringSerializationCanFailWithError",
                request(
                    "an error of the block, and a text that spoils the URL, are the request's error"
                )),
            .a("testThatHTTPHeaderValueCanBeRemoved", header),
            .a(
                "testThatHTTPHeaderValueCanBeSetToReferenceCountedStringFromMultipleThreadsWithoutCrashing",
                .shared(
                    file: "RequestSnapshotTests",
                    test:
                        "a request is of one moment: all old or all new, headers and properties alike"
                )),
            .a("testQueryStringFromParameters"),
            .a("testPercentEscapingString", escaping),
            .a(
                "testThatEmojiIsProperlyEncoded",
                .shared(
                    file: "PercentEscapeTests",
                    test: "composed characters across the offsets of the old batches come out whole"
                )),
        ])

    private static let withoutParameter =
        "testThatAFHTTPRequestSerializationSerializesPOSTRequestsProperlyWhenNoParameterIsProvided"

    private static let json = file(
        "AFJSONSerializationTests",
        [
            .a("testThatJSONRequestSerializationHandlesParametersDictionary"),
            .a("testThatJSONRequestSerializationHandlesParametersArray"),
            .a(
                "testThatJSONRequestSerializationHandlesInvalidParameters",
                .not("Foundation on Linux writes a lone surrogate as U+FFFD")),
            .b(
                "testThatJSONRequestSerializationErrorsWithInvalidJSON",
                .here("code and text are the package's own (wound 39)")),
            .a("testThatJSONResponseSerializerAcceptsApplicationJSONMimeType", types),
            .a("testThatJSONResponseSerializerAcceptsTextJSONMimeType", recorded),
            .a("testThatJSONResponseSerializerAcceptsTextJavaScriptMimeType", recorded),
            .a("testThatJSONResponseSerializerDoesNotAcceptNonStandardJSONMimeType", types),
            .a(
                "testThatJSONResponseSerializerReturnsDictionaryForValidJSONDictionary",
                .shared(file: "JSONResponseTests", test: "a declared charset is honoured")),
            .a("testThatJSONResponseSerializerReturnsErrorForInvalidJSON", recorded),
            .a("testThatJSONResponseSerializerReturnsNilObjectAndNilErrorForEmptyData", empty),
            .a("testThatJSONResponseSerializerReturnsNilObjectAndNilErrorForSingleSpace", empty),
            .b(
                "testThatJSONRemovesKeysWithNullValues",
                .here("elements go with `removesNullElements` (wound 66)")),
            .a("testThatJSONResponseSerializerCanBeCopied", copy),
            .b("testJSONSerializerSupportsSecureCoding", archive),
            .b("testJSONSerializerCanBeArchivedAndUnarchived", archive),
        ])

    private static let responses = file(
        "AFHTTPResponseSerializationTests",
        [
            .a("testThatAFHTTPResponseSerializationHandlesAll2XXCodes"),
            .a(
                "testThatAFHTTPResponseSerializationSucceedsWith205WithNoResponseContentTypeAndNoResponseData"
            ),
            .a(
                "testThatAFHTTPResponseSerializationFailsWith205WithNoResponseContentTypeAndResponseData"
            ),
            .a("testThatAFHTTPResponseSerializationFailsAll4XX5XXStatusCodes"),
            .a(
                "testResponseIsValidated",
                .shared(
                    file: "ResponseValidationTests",
                    test: "200 to 299 is acceptable and nothing beside")),
            .a("testCanBeCopied", copy),
            .b("testSupportsSecureCoding", archive),
        ])

    private static let xml =
        file(
            "AFXMLDocumentResponseSerializerTests",
            [
                .a("testThatXMLDocumentResponseSerializerAcceptsApplicationXMLMimeType", recorded),
                .a("testThatXMLDocumentResponseSerializerAcceptsTextXMLMimeType", recorded),
                .a(
                    "testThatXMLDocumentResponseSerializerDoesNotAcceptsNonStandardXMLMimeType",
                    recorded),
                .a(
                    "testThatXMLDocumentResponseSerializerReturnsNSXMLDocumentObjectForValidXML",
                    .shared(
                        file: "XMLResponseTests",
                        test: "a document is read, in the encoding that it declares")),
                .a(
                    "testThatXMLDocumentResponseSerializerReturnsErrorForInvalidXML",
                    .shared(file: "XMLResponseTests", test: "what is not well formed is an error")),
                .a("testThatXMLDocumentResponseSerializerCanBeCopied", copy),
            ])
        + file(
            "AFXMLParserResponseSerializerTests",
            [
                .a("testThatXMLParserResponseSerializerAcceptsApplicationXMLMimeType", recorded),
                .a("testThatXMLParserResponseSerializerAcceptsTextXMLMimeType", recorded),
                .a(
                    "testThatXMLParserResponseSerializerDoesNotAcceptsNonStandardXMLMimeType",
                    recorded),
                .a(
                    "testThatXMLParserResponseSerializerReturnsNSXMLParserObjectForValidXML",
                    .shared(
                        file: "XMLResponseTests",
                        test:
                            "a parser has not begun, so bad XML is no error, and a status error stays beside it"
                    )),
                .a("testThatXMLParserResponseSerializerCanBeCopied", copy),
            ])

    private static let propertyLists =
        file(
            "AFPropertyListResponseSerializerTests",
            [
                .a("testThatPropertyListResponseSerializerAcceptsPlistData", recorded),
                .a("testThatPropertyListResponseSerializerHandlesInvalidPlistData"),
                .a("testThatPropertyListResponseSerializerHandles204", empty),
                .a("testResponseSerializerCanBeCopied", copy),
                .b("testResponseSerializerCanBeArchivedAndUnarchived", archive),
            ])
        + file(
            "AFPropertyListRequestSerializerTests",
            [
                .a(
                    "testThatPropertyListRequestSerializerAcceptsPlist",
                    body("a property list comes back as it was, in both formats")),
                .a("testThatPropertyListRequestSerializerHandlesInvalidPlist"),
            ])

    private static let compound = file(
        "AFCompoundResponseSerializerTests",
        [
            .a(
                "testCompoundSerializerProperlySerializesResponse",
                .shared(
                    file: "SubclassAndCompoundTests", test: "the first object wins, with its error")
            ),
            .a("testCompoundSerializerCanBeCopied", copy),
            .b("testCompoundSerializerCanBeArchivedAndUnarchived", archive),
        ])

    // MARK: - Tests that answer several

    private static let defaultPolicy = Answer.shared(
        file: "SecurityPolicyTests", test: "the default checks everything and pins nothing")
    private static let recorded = Answer.shared(
        file: "CaseTests", test: "every case is as recorded, or as a rule allows")
    private static let query = request(
        "the query goes behind the one there is, and before the fragment")
    private static let header = request(
        "a header is set, replaced without regard to case, taken away, and never overwrites")
    private static let escaping = Answer.shared(
        file: "PercentEscapeTests", test: "the set of 2.6.3 holds for each of 0x00 to 0x7F")
    private static let types = Answer.shared(
        file: "ResponseValidationTests",
        test: "a type is compared without parameters and white space")
    private static let empty = Answer.shared(
        file: "EmptyBodyTests", test: "a body that says nothing")
    private static let copy = Answer.shared(
        file: "CopyAndCodingTests", test: "a copy has the class and every property")
    private static let archive = Answer.shared(
        file: "CopyAndCodingTests", test: "a secure archive has the class and every property")

    private static func request(_ test: String) -> Answer {
        .shared(file: "RequestSerializerTests", test: test)
    }

    private static func body(_ test: String) -> Answer {
        .shared(file: "BodySerializerTests", test: test)
    }
}
