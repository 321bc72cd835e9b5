public import Foundation
import OperationNetworking

// The functions of 3.x and 4.x.

/// Parameters as a query, in UTF-8 (QS-1 to QS-11); empty where they are nested too deeply.
@available(*, deprecated, message: "let an HTTPRequestSerializer make the request")
public func AFQueryStringFromParameters(_ parameters: [AnyHashable: Any]) -> String {
    (try? QueryString.text(of: parameters)) ?? ""
}

/// Text as a field or a value of a query has it, in UTF-8 (QS-6 to QS-9).
@available(*, deprecated, message: "let an HTTPRequestSerializer make the request")
public func AFPercentEscapedStringFromString(_ string: String) -> String {
    PercentEscape.escaped(string)
}

/// A JSON value without nulls in dictionaries and, as 4.x has it, in arrays.
///
/// With `.mutableContainers` the outermost container is mutable.
@available(*, deprecated, message: "set removesKeysWithNullValues and removesNullElements")
public func AFJSONObjectByRemovingKeysWithNullValues(
    _ JSONObject: Any, _ readingOptions: JSONSerialization.ReadingOptions
) -> Any {
    let object = DecodedContainers.removingNulls(JSONObject, entries: true, elements: true)
    return readingOptions.contains(.mutableContainers)
        ? DecodedContainers.mutable(object) : object
}
