import AFNetworking

/// Texts and fields as sources for Apple's systems make them.
func cocoaTexts(name: String, comment: String?) -> (String, NSDictionary) {
    let fields = NSMutableDictionary()
    fields.setValue("old", forKey: "comment")
    fields.setValue(name, forKey: "name")
    fields.setValue(comment, forKey: "comment")
    let text = NSMutableString()
    for (key, value) in fields {
        text.append("\(key)=\(value)")
    }
    return (text as String, fields)
}

func resumeDataOf(_ error: Error) -> Data? {
    return (error as NSError).userInfo[NSURLSessionDownloadTaskResumeData] as? Data
}
