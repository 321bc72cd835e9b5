import TestSupport

/// An encoding of the WHATWG's Encoding Standard: its labels, its own name first, and sums of what it reads,
/// which were made from the standard's own tables.
struct CharsetSample: Sendable, CustomTestStringConvertible {
    let labels: [String]
    /// The sum over each byte alone.
    let bytes: UInt64
    /// The sum over each byte alone, then each pair that begins with a byte above 7F; nil for an encoding of
    /// single bytes.
    let pairs: UInt64?

    var testDescription: String { labels[0] }

    init(_ bytes: UInt64, _ pairs: UInt64?, _ labels: String) {
        self.bytes = bytes
        self.pairs = pairs
        self.labels = labels.split(separator: " ").map(String.init)
    }

    /// All but Unicode's, ISO Latin 1 and ASCII, which are as Foundation has them, and the two that are no text.
    static let all: [CharsetSample] = [
        .init(
            0xC2C2_8F69_F27B_E309, nil,
            "ibm866 866 cp866 csibm866"),
        .init(
            0xDDCB_01B4_F181_E180, nil,
            "iso-8859-2 csisolatin2 iso-ir-101 iso8859-2 iso88592 iso_8859-2 iso_8859-2:1987 "
                + "l2 latin2"),
        .init(
            0x78EA_D4B0_6B01_5200, nil,
            "iso-8859-3 csisolatin3 iso-ir-109 iso8859-3 iso88593 iso_8859-3 iso_8859-3:1988 "
                + "l3 latin3"),
        .init(
            0x596A_23CD_CC81_2C6D, nil,
            "iso-8859-4 csisolatin4 iso-ir-110 iso8859-4 iso88594 iso_8859-4 iso_8859-4:1988 "
                + "l4 latin4"),
        .init(
            0x9A85_2435_A4EE_1789, nil,
            "iso-8859-5 csisolatincyrillic cyrillic iso-ir-144 iso8859-5 iso88595 iso_8859-5 "
                + "iso_8859-5:1988"),
        .init(
            0x6CF3_7102_EEDB_4153, nil,
            "iso-8859-6 arabic asmo-708 csiso88596e csiso88596i csisolatinarabic ecma-114 "
                + "iso-8859-6-e iso-8859-6-i iso-ir-127 iso8859-6 iso88596 iso_8859-6 "
                + "iso_8859-6:1987"),
        .init(
            0x723A_E5D4_1619_08E7, nil,
            "iso-8859-7 csisolatingreek ecma-118 elot_928 greek greek8 iso-ir-126 iso8859-7 "
                + "iso88597 iso_8859-7 iso_8859-7:1987 sun_eu_greek"),
        .init(
            0x946E_E219_940A_667A, nil,
            "iso-8859-8 csiso88598e csisolatinhebrew hebrew iso-8859-8-e iso-ir-138 iso8859-8 "
                + "iso88598 iso_8859-8 iso_8859-8:1988 visual"),
        .init(
            0x946E_E219_940A_667A, nil,
            "iso-8859-8-i csiso88598i logical"),
        .init(
            0x3ED5_27C7_4A53_43D0, nil,
            "iso-8859-10 csisolatin6 iso-ir-157 iso8859-10 iso885910 l6 latin6"),
        .init(
            0x4441_8EDD_641A_F73E, nil,
            "iso-8859-13 iso8859-13 iso885913"),
        .init(
            0x00E6_C165_336F_7474, nil,
            "iso-8859-14 iso8859-14 iso885914"),
        .init(
            0x5343_1DA5_97C5_B06B, nil,
            "iso-8859-15 csisolatin9 iso8859-15 iso885915 iso_8859-15 l9"),
        .init(
            0xD527_121D_4CA1_F5E3, nil,
            "iso-8859-16"),
        .init(
            0xA610_083C_F27B_9D33, nil,
            "koi8-r cskoi8r koi koi8 koi8_r"),
        .init(
            0xA440_B84C_A62B_1BD3, nil,
            "koi8-u koi8-ru"),
        .init(
            0x92AF_1B95_4F57_B0FC, nil,
            "macintosh csmacintosh mac x-mac-roman"),
        .init(
            0xAE4D_420E_018C_A46F, nil,
            "windows-874 dos-874 iso-8859-11 iso8859-11 iso885911 tis-620"),
        .init(
            0xAB02_CB57_6549_97BD, nil,
            "windows-1250 cp1250 x-cp1250"),
        .init(
            0x6AA6_2A26_8808_D333, nil,
            "windows-1251 cp1251 x-cp1251"),
        .init(
            0x4ED5_5573_BE6C_9ACB, nil,
            "windows-1252 cp1252 x-cp1252"),
        .init(
            0xF143_EDCD_7E9E_F01B, nil,
            "windows-1253 cp1253 x-cp1253"),
        .init(
            0xDB30_39FB_3C7E_9D9D, nil,
            "windows-1254 cp1254 csisolatin5 iso-8859-9 iso-ir-148 iso8859-9 iso88599 "
                + "iso_8859-9 iso_8859-9:1989 l5 latin5 x-cp1254"),
        .init(
            0xD3C7_CD5C_CAC7_8677, nil,
            "windows-1255 cp1255 x-cp1255"),
        .init(
            0x2CDD_0290_FB8C_5936, nil,
            "windows-1256 cp1256 x-cp1256"),
        .init(
            0xC063_846D_0A0C_80B4, nil,
            "windows-1257 cp1257 x-cp1257"),
        .init(
            0x9121_39ED_508F_BD50, nil,
            "windows-1258 cp1258 x-cp1258"),
        .init(
            0x4119_CD02_60AD_9FF2, nil,
            "x-mac-cyrillic x-mac-ukrainian"),
        .init(
            0xD6CB_8B14_4692_5F76, 0xFAFB_6EE1_A866_30D1,
            "gbk chinese csgb2312 csiso58gb231280 gb2312 gb_2312 gb_2312-80 iso-ir-58 x-gbk"),
        .init(
            0xD6CB_8B14_4692_5F76, 0xFAFB_6EE1_A866_30D1,
            "gb18030"),
        .init(
            0x245F_60E7_8CCF_AA25, 0x40B6_B3F2_A379_CA41,
            "big5 big5-hkscs cn-big5 csbig5 x-x-big5"),
        .init(
            0x245F_60E7_8CCF_AA25, 0x1121_11CA_4926_F734,
            "euc-jp cseucpkdfmtjapanese x-euc-jp"),
        .init(
            0xAAC8_7E87_6E4C_1968, nil,
            "iso-2022-jp csiso2022jp"),
        .init(
            0x846A_D44F_AE40_C145, 0xCC2F_D944_FD65_121B,
            "shift_jis csshiftjis ms932 ms_kanji shift-jis sjis windows-31j x-sjis"),
        .init(
            0x245F_60E7_8CCF_AA25, 0x9130_EBD2_183D_B8C6,
            "euc-kr cseuckr csksc56011987 iso-ir-149 korean ks_c_5601-1987 ks_c_5601-1989 "
                + "ksc5601 ksc_5601 windows-949"),
    ]
}

/// FNV-1a over the numbers of characters.
struct TextSum {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    /// Adds one reading; nil is one of its own.
    mutating func add(_ text: String?) {
        let none: [UInt32] = [0xFFFF_FFFF]
        let numbers = text?.unicodeScalars.map(\.value) ?? none
        for number in numbers + [0xFFFF_FFFE] {
            value = (value ^ UInt64(number)) &* 0x0000_0100_0000_01B3
        }
    }
}
