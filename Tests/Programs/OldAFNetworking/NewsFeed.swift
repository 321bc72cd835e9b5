// swift-format-ignore-file: NeverForceUnwrap
import AFNetworking

class NewsFeed: NSObject, XMLParserDelegate {
    var titles: [String] = []
    private var isInTitle = false

    func load(_ url: String, completion: @escaping (Bool) -> Void) {
        let manager = AFHTTPRequestOperationManager()
        let serializer = AFXMLParserResponseSerializer()
        serializer.acceptableContentTypes = Set(["application/rss+xml", "text/xml"])
        manager.responseSerializer = serializer
        manager.get(
            url, parameters: nil,
            success: { (operation: AFHTTPRequestOperation, responseObject: Any) in
                let parser = responseObject as! XMLParser
                parser.delegate = self
                completion(parser.parse())
            },
            failure: { (operation: AFHTTPRequestOperation?, error: Error) in
                completion(false)
            })
    }

    func parser(
        _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?, attributes attributeDict: [String: String]
    ) {
        isInTitle = elementName == "title"
    }

    func parser(_ parser: XMLParser, foundCharacters string: String) {
        if isInTitle {
            titles.append(string)
        }
    }

    func parser(
        _ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?,
        qualifiedName qName: String?
    ) {
        isInTitle = false
    }
}
