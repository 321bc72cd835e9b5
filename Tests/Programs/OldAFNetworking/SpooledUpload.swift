import AFNetworking

func spool(_ url: String, part: Data, to file: URL, _ completion: @escaping (Error?) -> Void)
    -> NSMutableURLRequest
{
    let serializer = AFHTTPRequestSerializer()
    let request = serializer.multipartFormRequest(
        withMethod: "POST", urlString: url, parameters: ["kind": "log"],
        constructingBodyWith: { (formData: AFMultipartFormData?) in
            formData?.appendPart(
                withFileData: part, name: "log", fileName: "log.txt", mimeType: "text/plain")
            formData?.appendPart(
                withHeaders: ["Content-Disposition": "form-data; name=\"x\""], body: Data("y".utf8))
        }, error: nil)
    return serializer.request(
        withMultipartForm: request as URLRequest, writingStreamContentsToFile: file,
        completionHandler: { error in
            completion(error)
        })
}
