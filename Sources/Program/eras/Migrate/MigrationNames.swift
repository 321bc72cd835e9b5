// swift-format-ignore-file
// Written from Documentation/Migration/renames.json by scripts/update-renames; change that.

/// A name a line: kind, old type, Objective-C's spelling, Swift's, the new name, a note.
enum MigrationNames {
    static let text = #"""
type||AFURLConnectionOperation|AFURLConnectionOperation|URLConnectionOperation|
type||AFHTTPRequestOperation|AFHTTPRequestOperation|HTTPRequestOperation|
type||AFHTTPRequestOperationManager|AFHTTPRequestOperationManager|HTTPRequestOperationManager|
type||AFURLSessionManager|AFURLSessionManager|URLSessionManager|
type||AFHTTPSessionManager|AFHTTPSessionManager|HTTPSessionManager|
type||AFURLRequestSerialization|AFURLRequestSerialization|URLRequestSerialization|
type||AFHTTPRequestSerializer|AFHTTPRequestSerializer|HTTPRequestSerializer|
type||AFJSONRequestSerializer|AFJSONRequestSerializer|JSONRequestSerializer|
type||AFPropertyListRequestSerializer|AFPropertyListRequestSerializer|PropertyListRequestSerializer|
type||AFMultipartFormData|AFMultipartFormData|MultipartFormData|
type||AFURLResponseSerialization|AFURLResponseSerialization|URLResponseSerialization|
type||AFHTTPResponseSerializer|AFHTTPResponseSerializer|HTTPResponseSerializer|
type||AFJSONResponseSerializer|AFJSONResponseSerializer|JSONResponseSerializer|
type||AFXMLParserResponseSerializer|AFXMLParserResponseSerializer|XMLParserResponseSerializer|
type||AFXMLDocumentResponseSerializer|AFXMLDocumentResponseSerializer|XMLDocumentResponseSerializer|
type||AFPropertyListResponseSerializer|AFPropertyListResponseSerializer|PropertyListResponseSerializer|
type||AFImageResponseSerializer|AFImageResponseSerializer|ImageResponseSerializer|
type||AFImageDownloader|AFImageDownloader|ImageDownloader|
type||AFImageDownloadReceipt|AFImageDownloadReceipt|ImageDownloadReceipt|
type||AFImageDownloadPrioritization|AFImageDownloadPrioritization|TransferOrder|
type||AFImageCache|AFImageCache|ImageCache|
type||AFImageRequestCache|AFImageRequestCache|ImageRequestCache|
type||AFAutoPurgingImageCache|AFAutoPurgingImageCache|AutoPurgingImageCache|
type||AFCompoundResponseSerializer|AFCompoundResponseSerializer|CompoundResponseSerializer|
type||AFSecurityPolicy|AFSecurityPolicy|SecurityPolicy|
type||AFSSLPinningMode|AFSSLPinningMode|SecurityPolicy.PinningMode|
type||AFNetworkReachabilityManager|AFNetworkReachabilityManager|NetworkReachabilityManager|
type||AFNetworkReachabilityStatus|AFNetworkReachabilityStatus|NetworkReachabilityStatus|
type||AFNetworkActivityIndicatorManager|AFNetworkActivityIndicatorManager|NetworkActivityManager|
type||NSURLConnection|NSURLConnection|URLConnection|Foundation has none on Linux
enum||AFHTTPRequestQueryStringSerializationStyle|AFHTTPRequestQueryStringSerializationStyle||there is one style; pass nil to `setQueryStringSerialization(_:)`
case|AFHTTPRequestQueryStringSerializationStyle|AFHTTPRequestQueryStringDefaultStyle|defaultStyle||
case|AFSSLPinningMode|AFSSLPinningModeNone|none|none|
case|AFSSLPinningMode|AFSSLPinningModePublicKey|publicKey|publicKey|
case|AFSSLPinningMode|AFSSLPinningModeCertificate|certificate|certificate|
case|AFNetworkReachabilityStatus|AFNetworkReachabilityStatusUnknown|unknown|unknown|
case|AFNetworkReachabilityStatus|AFNetworkReachabilityStatusNotReachable|notReachable|notReachable|
case|AFNetworkReachabilityStatus|AFNetworkReachabilityStatusReachableViaWWAN|reachableViaWWAN|reachableViaWWAN|
case|AFNetworkReachabilityStatus|AFNetworkReachabilityStatusReachableViaWiFi|reachableViaWiFi|reachableViaWiFi|
notification||AFNetworkingOperationDidStartNotification|AFNetworkingOperationDidStart|networkingOperationDidStart|
notification||AFNetworkingOperationDidFinishNotification|AFNetworkingOperationDidFinish|networkingOperationDidFinish|
notification||AFNetworkingReachabilityDidChangeNotification|AFNetworkingReachabilityDidChange|networkingReachabilityDidChange|
notification||AFNetworkingTaskDidResumeNotification|AFNetworkingTaskDidResume|networkingTaskDidResume|
notification||AFNetworkingTaskDidSuspendNotification|AFNetworkingTaskDidSuspend|networkingTaskDidSuspend|
notification||AFNetworkingTaskDidCompleteNotification|AFNetworkingTaskDidComplete|networkingTaskDidComplete|
notification||AFNetworkingTaskDidStartNotification|AFNetworkingTaskDidStart|networkingTaskDidResume|
notification||AFNetworkingTaskDidFinishNotification|AFNetworkingTaskDidFinish|networkingTaskDidComplete|
notification||AFURLSessionDidInvalidateNotification|AFURLSessionDidInvalidate|urlSessionDidInvalidate|
notification||AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification|AFURLSessionDownloadTaskDidMoveFileSuccessfully|urlSessionDownloadTaskDidMoveFileSuccessfully|
notification||AFURLSessionDownloadTaskDidFailToMoveFileNotification|AFURLSessionDownloadTaskDidFailToMoveFile|urlSessionDownloadTaskDidFailToMoveFile|
constant||AFURLRequestSerializationErrorDomain|AFURLRequestSerializationErrorDomain|NetworkingError.requestSerializationDomain|
constant||AFURLResponseSerializationErrorDomain|AFURLResponseSerializationErrorDomain|NetworkingError.responseSerializationDomain|
constant||AFNetworkingOperationFailingURLRequestErrorKey|AFNetworkingOperationFailingURLRequestErrorKey|NetworkingError.failingURLRequestKey|
constant||AFNetworkingOperationFailingURLResponseErrorKey|AFNetworkingOperationFailingURLResponseErrorKey|NetworkingError.failingURLResponseKey|
constant||AFNetworkingOperationFailingURLResponseDataErrorKey|AFNetworkingOperationFailingURLResponseDataErrorKey|NetworkingError.failingURLResponseDataKey|
constant||AFNetworkingReachabilityNotificationStatusItem|AFNetworkingReachabilityNotificationStatusItem|networkingReachabilityNotificationStatusItem|
constant||kAFUploadStream3GSuggestedPacketSize|kAFUploadStream3GSuggestedPacketSize||write 16384, in bytes
constant||kAFUploadStream3GSuggestedDelay|kAFUploadStream3GSuggestedDelay||write 0.2, in seconds
constant||AFNetworkingTaskDidCompleteResponseDataKey|AFNetworkingTaskDidCompleteResponseDataKey|networkingTaskDidCompleteResponseDataKey|
constant||AFNetworkingTaskDidCompleteSerializedResponseKey|AFNetworkingTaskDidCompleteSerializedResponseKey|networkingTaskDidCompleteSerializedResponseKey|
constant||AFNetworkingTaskDidCompleteResponseSerializerKey|AFNetworkingTaskDidCompleteResponseSerializerKey|networkingTaskDidCompleteResponseSerializerKey|
constant||AFNetworkingTaskDidCompleteAssetPathKey|AFNetworkingTaskDidCompleteAssetPathKey|networkingTaskDidCompleteAssetPathKey|
constant||AFNetworkingTaskDidCompleteErrorKey|AFNetworkingTaskDidCompleteErrorKey|networkingTaskDidCompleteErrorKey|
constant||AFNetworkingTaskDidCompleteSessionTaskMetrics|AFNetworkingTaskDidCompleteSessionTaskMetrics|networkingTaskDidCompleteSessionTaskMetricsKey|a `RequestMetrics`; with `.connection`
constant||AFNetworkingTaskDidFinishResponseDataKey|AFNetworkingTaskDidFinishResponseDataKey|networkingTaskDidCompleteResponseDataKey|
constant||AFNetworkingTaskDidFinishSerializedResponseKey|AFNetworkingTaskDidFinishSerializedResponseKey|networkingTaskDidCompleteSerializedResponseKey|
constant||AFNetworkingTaskDidFinishResponseSerializerKey|AFNetworkingTaskDidFinishResponseSerializerKey|networkingTaskDidCompleteResponseSerializerKey|
constant||AFNetworkingTaskDidFinishAssetPathKey|AFNetworkingTaskDidFinishAssetPathKey|networkingTaskDidCompleteAssetPathKey|
constant||AFNetworkingTaskDidFinishErrorKey|AFNetworkingTaskDidFinishErrorKey|networkingTaskDidCompleteErrorKey|
function||AFStringFromNetworkReachabilityStatus|AFStringFromNetworkReachabilityStatus(_:)|NetworkReachabilityStatus.localizedDescription|
function||AFQueryStringFromParameters|AFQueryStringFromParameters(_:)||3.x, 4.x; let a serializer make the request
function||AFPercentEscapedStringFromString|AFPercentEscapedStringFromString(_:)||3.x, 4.x; let a serializer make the request
function||AFJSONObjectByRemovingKeysWithNullValues|AFJSONObjectByRemovingKeysWithNullValues(_:_:)||4.x; set `removesKeysWithNullValues` and `removesNullElements`
method|AFURLRequestSerialization|-requestBySerializingRequest:withParameters:error:|request(bySerializingRequest:withParameters:error:)|request(bySerializing:with:)|throws
property|AFHTTPRequestSerializer|@stringEncoding|stringEncoding|stringEncoding|`String.Encoding`, was `UInt`
property|AFHTTPRequestSerializer|@allowsCellularAccess|allowsCellularAccess|allowsCellularAccess|
property|AFHTTPRequestSerializer|@cachePolicy|cachePolicy|cachePolicy|
property|AFHTTPRequestSerializer|@HTTPShouldHandleCookies|httpShouldHandleCookies|httpShouldHandleCookies|
property|AFHTTPRequestSerializer|@HTTPShouldUsePipelining|httpShouldUsePipelining|httpShouldUsePipelining|
property|AFHTTPRequestSerializer|@networkServiceType|networkServiceType|networkServiceType|
property|AFHTTPRequestSerializer|@timeoutInterval|timeoutInterval|timeoutInterval|
property|AFHTTPRequestSerializer|@HTTPRequestHeaders|httpRequestHeaders|httpRequestHeaders|`[String: String]`
initializer|AFHTTPRequestSerializer|+serializer|init()|init()|
method|AFHTTPRequestSerializer|-setValue:forHTTPHeaderField:|setValue(_:forHTTPHeaderField:)|setValue(_:forHTTPHeaderField:)|
method|AFHTTPRequestSerializer|-valueForHTTPHeaderField:|value(forHTTPHeaderField:)|value(forHTTPHeaderField:)|
method|AFHTTPRequestSerializer|-setAuthorizationHeaderFieldWithUsername:password:|setAuthorizationHeaderFieldWithUsername(_:password:)|setAuthorizationHeaderField(username:password:)|
method|AFHTTPRequestSerializer|-setAuthorizationHeaderFieldWithToken:|setAuthorizationHeaderFieldWithToken(_:)|setValue(_:forHTTPHeaderField:)|
method|AFHTTPRequestSerializer|-clearAuthorizationHeader|clearAuthorizationHeader()|clearAuthorizationHeader()|
property|AFHTTPRequestSerializer|@HTTPMethodsEncodingParametersInURI|httpMethodsEncodingParametersInURI|httpMethodsEncodingParametersInURI|`Set<String>`, was `Set<AnyHashable>`
method|AFHTTPRequestSerializer|-setQueryStringSerializationWithStyle:|setQueryStringSerializationWith(_:)|setQueryStringSerialization(_:)|pass nil
method|AFHTTPRequestSerializer|-setQueryStringSerializationWithBlock:|setQueryStringSerializationWith(_:)|setQueryStringSerialization(_:)|the block throws
method|AFHTTPRequestSerializer|-requestWithMethod:URLString:parameters:|request(withMethod:urlString:parameters:)|request(method:urlString:parameters:)|throws, as 4.x's does; 2.x's did not
method|AFHTTPRequestSerializer|-requestWithMethod:URLString:parameters:error:|request(withMethod:urlString:parameters:error:)|request(method:urlString:parameters:)|throws
method|AFHTTPRequestSerializer|-multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:|multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:)|multipartFormRequest(method:urlString:parameters:constructingBody:)|throws
method|AFHTTPRequestSerializer|-multipartFormRequestWithMethod:URLString:parameters:constructingBodyWithBlock:error:|multipartFormRequest(withMethod:urlString:parameters:constructingBodyWith:error:)|multipartFormRequest(method:urlString:parameters:constructingBody:)|throws
method|AFHTTPRequestSerializer|-requestWithMultipartFormRequest:writingStreamContentsToFile:completionHandler:|request(withMultipartForm:writingStreamContentsToFile:completionHandler:)|request(withMultipartFormRequest:writingStreamContentsToFile:completionHandler:)|
method|AFMultipartFormData|-appendPartWithFileURL:name:error:|appendPart(withFileURL:name:)|appendPart(fileURL:name:)|
method|AFMultipartFormData|-appendPartWithFileURL:name:fileName:mimeType:error:|appendPart(withFileURL:name:fileName:mimeType:)|appendPart(fileURL:name:fileName:mimeType:)|
method|AFMultipartFormData|-appendPartWithInputStream:name:fileName:length:mimeType:|appendPart(with:name:fileName:length:mimeType:)|appendPart(inputStream:name:fileName:length:mimeType:)|
method|AFMultipartFormData|-appendPartWithFileData:name:fileName:mimeType:|appendPart(withFileData:name:fileName:mimeType:)|appendPart(fileData:name:fileName:mimeType:)|
method|AFMultipartFormData|-appendPartWithFormData:name:|appendPart(withForm:name:)|appendPart(formData:name:)|
method|AFMultipartFormData|-appendPartWithHeaders:body:|appendPart(withHeaders:body:)|appendPart(headers:body:)|
method|AFMultipartFormData|-throttleBandwidthWithPacketSize:delay:|throttleBandwidth(withPacketSize:delay:)|throttleBandwidth(packetSize:delay:)|
property|AFJSONRequestSerializer|@writingOptions|writingOptions|writingOptions|
initializer|AFJSONRequestSerializer|+serializerWithWritingOptions:|init(writingOptions:)|init(writingOptions:)|
property|AFPropertyListRequestSerializer|@format|format|format|
property|AFPropertyListRequestSerializer|@writeOptions|writeOptions|writeOptions|
initializer|AFPropertyListRequestSerializer|+serializerWithFormat:writeOptions:|init(format:writeOptions:)|init(format:writeOptions:)|
method|AFURLResponseSerialization|-responseObjectForResponse:data:error:|responseObject(for:data:error:)|responseObject(for:data:)|returns object and error together
initializer|AFHTTPResponseSerializer|-init|init()|init()|
property|AFHTTPResponseSerializer|@stringEncoding|stringEncoding|stringEncoding|`String.Encoding`, was `UInt`
initializer|AFHTTPResponseSerializer|+serializer|init()|init()|
property|AFHTTPResponseSerializer|@acceptableStatusCodes|acceptableStatusCodes|acceptableStatusCodes|
property|AFHTTPResponseSerializer|@acceptableContentTypes|acceptableContentTypes|acceptableContentTypes|`Set<String>?`, was `Set<AnyHashable>?`
method|AFHTTPResponseSerializer|-validateResponse:data:error:|validate(_:data:)|validate(_:data:)|
initializer|AFJSONResponseSerializer|-init|init()|init()|
property|AFJSONResponseSerializer|@readingOptions|readingOptions|readingOptions|
property|AFJSONResponseSerializer|@removesKeysWithNullValues|removesKeysWithNullValues|removesKeysWithNullValues|
initializer|AFJSONResponseSerializer|+serializerWithReadingOptions:|init(readingOptions:)|init(readingOptions:)|
initializer|AFXMLDocumentResponseSerializer|-init|init()|init()|
property|AFXMLDocumentResponseSerializer|@options|options|options|`XMLNode.Options`, was `UInt`
initializer|AFXMLDocumentResponseSerializer|+serializerWithXMLDocumentOptions:|init(xmlDocumentOptions:)|init(options:)|
initializer|AFPropertyListResponseSerializer|-init|init()|init()|
property|AFPropertyListResponseSerializer|@format|format|format|
property|AFPropertyListResponseSerializer|@readOptions|readOptions|readOptions|
initializer|AFPropertyListResponseSerializer|+serializerWithFormat:readOptions:|init(format:readOptions:)|init(format:readOptions:)|
property|AFImageResponseSerializer|@imageScale|imageScale|imageScale|
property|AFImageResponseSerializer|@automaticallyInflatesResponseImage|automaticallyInflatesResponseImage|automaticallyInflatesResponseImage|
property|AFImageDownloader|@imageCache|imageCache|imageCache|
property|AFImageDownloader|@sessionManager|sessionManager|manager|of any era
property|AFImageDownloader|@downloadPrioritization|downloadPrioritization|downloadPrioritization|set once
method|AFImageDownloader|+defaultInstance|defaultInstance()|default|a property
method|AFImageDownloader|+defaultURLCache|defaultURLCache()||a `ResponseCache` of `defaultManager()`
method|AFImageDownloader|+defaultURLSessionConfiguration|defaultURLSessionConfiguration()|defaultURLSessionConfiguration|a property
initializer|AFImageDownloader|-initWithSessionConfiguration:|init(sessionConfiguration:)|init(manager:downloadPrioritization:maximumActiveDownloads:imageCache:joining:)|
initializer|AFImageDownloader|-initWithSessionManager:downloadPrioritization:maximumActiveDownloads:imageCache:|init(sessionManager:downloadPrioritization:maximumActiveDownloads:imageCache:)|init(manager:downloadPrioritization:maximumActiveDownloads:imageCache:joining:)|
method|AFImageDownloader|-downloadImageForURLRequest:success:failure:|downloadImage(for:success:failure:)|download(_:receiptID:filter:success:failure:progress:progressQueue:)|
method|AFImageDownloader|-downloadImageForURLRequest:withReceiptID:success:failure:|downloadImage(for:withReceiptID:success:failure:)|download(_:receiptID:filter:success:failure:progress:progressQueue:)|
method|AFImageDownloader|-cancelTaskForImageDownloadReceipt:|cancelTask(for:)|cancel(_:)|
property|AFImageDownloadReceipt|@task|task|task|a `TransferHandle`
property|AFImageDownloadReceipt|@receiptID|receiptID|receiptID|compared by value
case|AFImageDownloadPrioritization|AFImageDownloadPrioritizationFIFO|fifo|fifo|
case|AFImageDownloadPrioritization|AFImageDownloadPrioritizationLIFO|lifo|lifo|
method|AFImageCache|-addImage:withIdentifier:|add(_:withIdentifier:)|add(_:withIdentifier:)|
method|AFImageCache|-removeImageWithIdentifier:|removeImage(withIdentifier:)|removeImage(withIdentifier:)|
method|AFImageCache|-removeAllImages|removeAllImages()|removeAllImages()|
method|AFImageCache|-imageWithIdentifier:|image(withIdentifier:)|image(withIdentifier:)|
method|AFImageRequestCache|-shouldCacheImage:forRequest:withAdditionalIdentifier:|shouldCache(_:for:withAdditionalIdentifier:)|shouldCacheImage(_:for:withAdditionalIdentifier:)|
method|AFImageRequestCache|-addImage:forRequest:withAdditionalIdentifier:|add(_:for:withAdditionalIdentifier:)|add(_:for:withAdditionalIdentifier:)|
method|AFImageRequestCache|-removeImageforRequest:withAdditionalIdentifier:|removeImageforRequest(_:withAdditionalIdentifier:)|removeImage(for:withAdditionalIdentifier:)|
method|AFImageRequestCache|-imageforRequest:withAdditionalIdentifier:|imageforRequest(_:withAdditionalIdentifier:)|image(for:withAdditionalIdentifier:)|
method|AFImageRequestCache|-cachedImageForRequest:|cachedImage(for:)|image(for:withAdditionalIdentifier:)|2.x; the identifier is nil
method|AFImageRequestCache|-cacheImage:forRequest:|cacheImage(_:for:)|add(_:for:withAdditionalIdentifier:)|2.x; the identifier is nil
property|AFAutoPurgingImageCache|@memoryCapacity|memoryCapacity|memoryCapacity|set with `setMemoryCapacity(_:preferredMemoryUsageAfterPurge:)`
property|AFAutoPurgingImageCache|@preferredMemoryUsageAfterPurge|preferredMemoryUsageAfterPurge|preferredMemoryUsageAfterPurge|set with the capacity
property|AFAutoPurgingImageCache|@memoryUsage|memoryUsage|memoryUsage|
initializer|AFAutoPurgingImageCache|-initWithMemoryCapacity:preferredMemoryCapacity:|init(memoryCapacity:preferredMemoryCapacity:)|init(memoryCapacity:preferredMemoryUsageAfterPurge:)|throws
method|ImageDisplaying|+sharedImageDownloader|sharedImageDownloader()|sharedImageDownloader|a property
method|ImageDisplaying|+setSharedImageDownloader:|setSharedImageDownloader(_:)|sharedImageDownloader|a property
method|ImageDisplaying|-setImageWithURL:|setImageWith(_:)|setImage(with:placeholder:filter:success:failure:)|
method|ImageDisplaying|-setImageWithURL:placeholderImage:|setImageWith(_:placeholderImage:)|setImage(with:placeholder:filter:success:failure:)|
method|ImageDisplaying|-setImageWithURLRequest:placeholderImage:success:failure:|setImageWith(_:placeholderImage:success:failure:)|setImage(with:placeholder:filter:success:failure:)|
method|ImageDisplaying|-cancelImageDownloadTask|cancelImageDownloadTask()|cancelImageDownload()|
method|KeyedImageDisplaying|+sharedImageDownloader|sharedImageDownloader()|sharedImageDownloader|a property
method|KeyedImageDisplaying|+setSharedImageDownloader:|setSharedImageDownloader(_:)|sharedImageDownloader|a property
method|KeyedImageDisplaying|-setImageForState:withURL:placeholderImage:|setImageFor(_:with:placeholderImage:)|setImage(for:with:placeholder:filter:success:failure:)|
method|KeyedImageDisplaying|-setImageForState:withURLRequest:placeholderImage:success:failure:|setImageFor(_:with:placeholderImage:success:failure:)|setImage(for:with:placeholder:filter:success:failure:)|
method|KeyedImageDisplaying|-setBackgroundImageForState:withURL:placeholderImage:|setBackgroundImageFor(_:with:placeholderImage:)|setImage(for:with:placeholder:filter:success:failure:)|
method|KeyedImageDisplaying|-setBackgroundImageForState:withURLRequest:placeholderImage:success:failure:|setBackgroundImageFor(_:with:placeholderImage:success:failure:)|setImage(for:with:placeholder:filter:success:failure:)|
method|KeyedImageDisplaying|-cancelImageDownloadTaskForState:|cancelImageDownloadTask(for:)|cancelImageDownload(for:)|
method|KeyedImageDisplaying|-cancelBackgroundImageDownloadTaskForState:|cancelBackgroundImageDownloadTask(for:)|cancelImageDownload(for:)|
method|OperationImageDisplaying|+sharedImageCache|sharedImageCache()|sharedImageCache|2.x; a property
method|OperationImageDisplaying|+setSharedImageCache:|setSharedImageCache(_:)|sharedImageCache|2.x; a property
property|OperationImageDisplaying|@imageResponseSerializer|imageResponseSerializer|imageResponseSerializer|2.x
method|OperationImageDisplaying|-setImageWithURL:|setImageWith(_:)|setImage(with:placeholder:)|2.x
method|OperationImageDisplaying|-setImageWithURL:placeholderImage:|setImageWith(_:placeholderImage:)|setImage(with:placeholder:)|2.x
method|OperationImageDisplaying|-setImageWithURLRequest:placeholderImage:success:failure:|setImageWith(_:placeholderImage:success:failure:)|setImage(with:placeholder:success:failure:)|2.x
method|OperationImageDisplaying|-cancelImageRequestOperation|cancelImageRequestOperation()|cancelImageRequestOperation()|2.x
method|ActivityDisplaying|-setAnimatingWithStateOfTask:|setAnimatingWithStateOf(_:)|setAnimating(withStateOf:)|2.x also of an operation
method|RefreshDisplaying|-setRefreshingWithStateOfTask:|setRefreshingWithStateOf(_:)|setRefreshing(withStateOf:)|2.x also of an operation
method|ProgressDisplaying|-setProgressWithUploadProgressOfTask:animated:|setProgressWithUploadProgressOf(_:animated:)|setProgress(with:of:animated:)|2.x also of an operation
method|ProgressDisplaying|-setProgressWithDownloadProgressOfTask:animated:|setProgressWithDownloadProgressOf(_:animated:)|setProgress(with:of:animated:)|2.x also of an operation
property|AFCompoundResponseSerializer|@responseSerializers|responseSerializers|responseSerializers|
method|AFCompoundResponseSerializer|+compoundSerializerWithResponseSerializers:|compoundSerializer(withResponseSerializers:)|init(responseSerializers:)|
property|AFSecurityPolicy|@SSLPinningMode|sslPinningMode|pinningMode|
property|AFSecurityPolicy|@pinnedCertificates|pinnedCertificates|pinnedCertificates|`[Certificate]`, was `[Any]?` of `Data`, in 3.x and 4.x `Set<Data>?`
property|AFSecurityPolicy|@allowInvalidCertificates|allowInvalidCertificates|allowInvalidCertificates|
property|AFSecurityPolicy|@validatesDomainName|validatesDomainName|validatesDomainName|
method|AFSecurityPolicy|+defaultPolicy|default()|default()|
initializer|AFSecurityPolicy|+policyWithPinningMode:|init(pinningMode:)|init(pinningMode:pinnedCertificates:)|no certificates come from a bundle
initializer|AFSecurityPolicy|+policyWithPinningMode:withPinnedCertificates:|init(pinningMode:withPinnedCertificates:)|init(pinningMode:pinnedCertificates:)|3.x, 4.x; `[Certificate]`, was `Set<Data>`
method|AFSecurityPolicy|+certificatesInBundle:|certificates(in:)|certificates(in:)|3.x, 4.x; throws; `[Certificate]`, was `Set<Data>`
method|AFSecurityPolicy|-evaluateServerTrust:|evaluateServerTrust(_:)|evaluate(_:forDomain:)|pass nil
method|AFSecurityPolicy|-evaluateServerTrust:forDomain:|evaluateServerTrust(_:forDomain:)|evaluate(_:forDomain:)|`ServerTrust`, was `SecTrust`
property|AFNetworkReachabilityManager|@networkReachabilityStatus|networkReachabilityStatus|status|
property|AFNetworkReachabilityManager|@reachable|isReachable|isReachable|
property|AFNetworkReachabilityManager|@reachableViaWWAN|isReachableViaWWAN|isReachableViaWWAN|
property|AFNetworkReachabilityManager|@reachableViaWiFi|isReachableViaWiFi|isReachableViaWiFi|
method|AFNetworkReachabilityManager|+sharedManager|shared()|shared|a property
initializer|AFNetworkReachabilityManager|+manager|init()|init()|3.x, 4.x
initializer|AFNetworkReachabilityManager|+managerForDomain:|init(forDomain:)|init(domain:)|
initializer|AFNetworkReachabilityManager|+managerForAddress:|init(forAddress:)|init(address:)|
initializer|AFNetworkReachabilityManager|-initWithReachability:|init(reachability:)||belongs to Apple's SystemConfiguration
method|AFNetworkReachabilityManager|-startMonitoring|startMonitoring()|startMonitoring()|
method|AFNetworkReachabilityManager|-stopMonitoring|stopMonitoring()|stopMonitoring()|
method|AFNetworkReachabilityManager|-localizedNetworkReachabilityStatusString|localizedNetworkReachabilityStatusString()|localizedNetworkReachabilityStatusString()|
method|AFNetworkReachabilityManager|-setReachabilityStatusChangeBlock:|setReachabilityStatusChange(_:)|setReachabilityStatusChangeBlock(_:)|
property|AFURLConnectionOperation|@runLoopModes|runLoopModes|runLoopModes|`Set<RunLoop.Mode>`, was `Set<AnyHashable>`
property|AFURLConnectionOperation|@request|request|request|
property|AFURLConnectionOperation|@response|response|response|
property|AFURLConnectionOperation|@error|error|error|
property|AFURLConnectionOperation|@responseData|responseData|responseData|
property|AFURLConnectionOperation|@responseString|responseString|responseString|
property|AFURLConnectionOperation|@responseStringEncoding|responseStringEncoding|responseStringEncoding|`String.Encoding?`, was `UInt`
property|AFURLConnectionOperation|@shouldUseCredentialStorage|shouldUseCredentialStorage|shouldUseCredentialStorage|
property|AFURLConnectionOperation|@credential|credential|credential|
property|AFURLConnectionOperation|@securityPolicy|securityPolicy|securityPolicy|
property|AFURLConnectionOperation|@inputStream|inputStream|inputStream|optional
property|AFURLConnectionOperation|@outputStream|outputStream|outputStream|
property|AFURLConnectionOperation|@completionQueue|completionQueue|completionQueue|
property|AFURLConnectionOperation|@completionGroup|completionGroup|completionGroup|
property|AFURLConnectionOperation|@userInfo|userInfo|userInfo|
initializer|AFURLConnectionOperation|-initWithRequest:|init(request:)|init(request:)|
method|AFURLConnectionOperation|-pause|pause()|pause()|
method|AFURLConnectionOperation|-isPaused|isPaused()|isPaused|a property
method|AFURLConnectionOperation|-resume|resume()|resume()|
method|AFURLConnectionOperation|-setShouldExecuteAsBackgroundTaskWithExpirationHandler:|setShouldExecuteAsBackgroundTaskWithExpirationHandler(_:)||has no meaning on Linux; accepted and ignored
method|AFURLConnectionOperation|-setUploadProgressBlock:|setUploadProgressBlock(_:)|setUploadProgressBlock(_:)|`Int64` in place of `UInt`
method|AFURLConnectionOperation|-setDownloadProgressBlock:|setDownloadProgressBlock(_:)|setDownloadProgressBlock(_:)|`Int64` in place of `UInt`
method|AFURLConnectionOperation|-setWillSendRequestForAuthenticationChallengeBlock:|setWillSendRequestForAuthenticationChallenge(_:)|setWillSendRequestForAuthenticationChallengeBlock(_:)|
method|AFURLConnectionOperation|-setRedirectResponseBlock:|setRedirectResponseBlock(_:)|setRedirectResponseBlock(_:)|the response is optional
method|AFURLConnectionOperation|-setCacheResponseBlock:|setCacheResponseBlock(_:)|setCacheResponseBlock(_:)|
method|AFURLConnectionOperation|+batchOfRequestOperations:progressBlock:completionBlock:|batch(ofRequestOperations:progressBlock:completionBlock:)|batch(of:progress:completion:)|typed arrays
property|AFHTTPRequestOperation|@response|response|response|
property|AFHTTPRequestOperation|@responseSerializer|responseSerializer|responseSerializer|
property|AFHTTPRequestOperation|@responseObject|responseObject|responseObject|
method|AFHTTPRequestOperation|-setCompletionBlockWithSuccess:failure:|setCompletionBlockWithSuccess(_:failure:)|setCompletionBlock(success:failure:)|
property|AFHTTPRequestOperationManager|@baseURL|baseURL|baseURL|
property|AFHTTPRequestOperationManager|@requestSerializer|requestSerializer|requestSerializer|
property|AFHTTPRequestOperationManager|@responseSerializer|responseSerializer|responseSerializer|
property|AFHTTPRequestOperationManager|@operationQueue|operationQueue|operationQueue|
property|AFHTTPRequestOperationManager|@shouldUseCredentialStorage|shouldUseCredentialStorage|shouldUseCredentialStorage|
property|AFHTTPRequestOperationManager|@credential|credential|credential|
property|AFHTTPRequestOperationManager|@securityPolicy|securityPolicy|securityPolicy|
property|AFHTTPRequestOperationManager|@reachabilityManager|reachabilityManager|reachabilityManager|
property|AFHTTPRequestOperationManager|@completionQueue|completionQueue|completionQueue|
property|AFHTTPRequestOperationManager|@completionGroup|completionGroup|completionGroup|
initializer|AFHTTPRequestOperationManager|+manager|init()|init()|
initializer|AFHTTPRequestOperationManager|-initWithBaseURL:|init(baseURL:)|init(baseURL:)|
method|AFHTTPRequestOperationManager|-HTTPRequestOperationWithRequest:success:failure:|httpRequestOperation(with:success:failure:)|httpRequestOperation(with:success:failure:)|the operation in `failure` is optional
method|AFHTTPRequestOperationManager|-GET:parameters:success:failure:|get(_:parameters:success:failure:)|get(_:parameters:success:failure:)|
method|AFHTTPRequestOperationManager|-HEAD:parameters:success:failure:|head(_:parameters:success:failure:)|head(_:parameters:success:failure:)|
method|AFHTTPRequestOperationManager|-POST:parameters:success:failure:|post(_:parameters:success:failure:)|post(_:parameters:success:failure:)|
method|AFHTTPRequestOperationManager|-POST:parameters:constructingBodyWithBlock:success:failure:|post(_:parameters:constructingBodyWith:success:failure:)|post(_:parameters:constructingBody:success:failure:)|
method|AFHTTPRequestOperationManager|-PUT:parameters:success:failure:|put(_:parameters:success:failure:)|put(_:parameters:success:failure:)|
method|AFHTTPRequestOperationManager|-PATCH:parameters:success:failure:|patch(_:parameters:success:failure:)|patch(_:parameters:success:failure:)|
method|AFHTTPRequestOperationManager|-DELETE:parameters:success:failure:|delete(_:parameters:success:failure:)|delete(_:parameters:success:failure:)|
property|AFURLSessionManager|@session|session|session|
property|AFURLSessionManager|@operationQueue|operationQueue|operationQueue|
property|AFURLSessionManager|@responseSerializer|responseSerializer|responseSerializer|an `HTTPResponseSerializer`
property|AFURLSessionManager|@securityPolicy|securityPolicy|securityPolicy|
property|AFURLSessionManager|@reachabilityManager|reachabilityManager|reachabilityManager|
property|AFURLSessionManager|@tasks|tasks|tasks|`[SessionTask]`
property|AFURLSessionManager|@dataTasks|dataTasks|dataTasks|`[SessionDataTask]`
property|AFURLSessionManager|@uploadTasks|uploadTasks|uploadTasks|`[SessionUploadTask]`
property|AFURLSessionManager|@downloadTasks|downloadTasks|downloadTasks|`[SessionDownloadTask]`
property|AFURLSessionManager|@completionQueue|completionQueue|completionQueue|
property|AFURLSessionManager|@completionGroup|completionGroup|completionGroup|
property|AFURLSessionManager|@attemptsToRecreateUploadTasksForBackgroundSessions|attemptsToRecreateUploadTasksForBackgroundSessions||no meaning on Linux (LX-20)
initializer|AFURLSessionManager|-initWithSessionConfiguration:|init(sessionConfiguration:)|init(sessionConfiguration:)|
method|AFURLSessionManager|-invalidateSessionCancelingTasks:|invalidateSessionCancelingTasks(_:)|invalidateSessionCancelingTasks(_:resetSession:)|
method|AFURLSessionManager|-invalidateSessionCancelingTasks:resetSession:|invalidateSessionCancelingTasks(_:resetSession:)|invalidateSessionCancelingTasks(_:resetSession:)|
method|AFURLSessionManager|-dataTaskWithRequest:completionHandler:|dataTask(with:completionHandler:)|dataTask(with:completionHandler:)|makes a `SessionDataTask`
method|AFURLSessionManager|-dataTaskWithRequest:uploadProgress:downloadProgress:completionHandler:|dataTask(with:uploadProgress:downloadProgress:completionHandler:)|dataTask(with:uploadProgress:downloadProgress:completionHandler:)|makes a `SessionDataTask`
method|AFURLSessionManager|-uploadTaskWithRequest:fromFile:progress:completionHandler:|uploadTask(with:fromFile:progress:completionHandler:)|uploadTask(with:fromFile:progress:completionHandler:)|makes a `SessionUploadTask`; `progress` is a block, was a pointer in 2.x
method|AFURLSessionManager|-uploadTaskWithRequest:fromData:progress:completionHandler:|uploadTask(with:from:progress:completionHandler:)|uploadTask(with:from:progress:completionHandler:)|makes a `SessionUploadTask`; `progress` is a block, was a pointer in 2.x
method|AFURLSessionManager|-uploadTaskWithStreamedRequest:progress:completionHandler:|uploadTask(withStreamedRequest:progress:completionHandler:)|uploadTask(withStreamedRequest:progress:completionHandler:)|makes a `SessionUploadTask`; `progress` is a block, was a pointer in 2.x
method|AFURLSessionManager|-downloadTaskWithRequest:progress:destination:completionHandler:|downloadTask(with:progress:destination:completionHandler:)|downloadTask(with:progress:destination:completionHandler:)|makes a `SessionDownloadTask`; `progress` is a block, was a pointer in 2.x
method|AFURLSessionManager|-downloadTaskWithResumeData:progress:destination:completionHandler:|downloadTask(withResumeData:progress:destination:completionHandler:)|downloadTask(withResumeData:progress:destination:completionHandler:)|makes a `SessionDownloadTask`; `progress` is a block, was a pointer in 2.x
method|AFURLSessionManager|-uploadProgressForTask:|uploadProgress(for:)|uploadProgress(for:)|
method|AFURLSessionManager|-downloadProgressForTask:|downloadProgress(for:)|downloadProgress(for:)|
method|AFURLSessionManager|-setSessionDidBecomeInvalidBlock:|setSessionDidBecomeInvalidBlock(_:)|setSessionDidBecomeInvalidBlock(_:)|
method|AFURLSessionManager|-setSessionDidReceiveAuthenticationChallengeBlock:|setSessionDidReceiveAuthenticationChallenge(_:)|setSessionDidReceiveAuthenticationChallenge(_:)|returns the credential too; asked with `.connection`
method|AFURLSessionManager|-setTaskNeedNewBodyStreamBlock:|setTaskNeedNewBodyStreamBlock(_:)|setTaskNeedNewBodyStreamBlock(_:)|
method|AFURLSessionManager|-setTaskWillPerformHTTPRedirectionBlock:|setTaskWillPerformHTTPRedirectionBlock(_:)|setTaskWillPerformHTTPRedirectionBlock(_:)|
method|AFURLSessionManager|-setTaskDidReceiveAuthenticationChallengeBlock:|setTaskDidReceiveAuthenticationChallenge(_:)|setAuthenticationChallengeHandler(_:)|2.x and 3.x; returns an `AuthenticationChallengeAnswer`
method|AFURLSessionManager|-setAuthenticationChallengeHandler:|setAuthenticationChallengeHandler(_:)|setAuthenticationChallengeHandler(_:)|returns an `AuthenticationChallengeAnswer`
method|AFURLSessionManager|-setTaskDidSendBodyDataBlock:|setTaskDidSendBodyDataBlock(_:)|setTaskDidSendBodyDataBlock(_:)|
method|AFURLSessionManager|-setTaskDidCompleteBlock:|setTaskDidComplete(_:)|setTaskDidComplete(_:)|
method|AFURLSessionManager|-setTaskDidFinishCollectingMetricsBlock:|setTaskDidFinishCollectingMetricsBlock(_:)|setTaskDidFinishCollectingMetricsBlock(_:)|with `RequestMetrics`; called with `.connection`
method|AFURLSessionManager|-setDataTaskDidReceiveResponseBlock:|setDataTaskDidReceiveResponseBlock(_:)|setDataTaskDidReceiveResponseBlock(_:)|
method|AFURLSessionManager|-setDataTaskDidBecomeDownloadTaskBlock:|setDataTaskDidBecomeDownloadTaskBlock(_:)|setDataTaskDidBecomeDownloadTaskBlock(_:)|called with `.connection`
method|AFURLSessionManager|-setDataTaskDidReceiveDataBlock:|setDataTaskDidReceiveDataBlock(_:)|setDataTaskDidReceiveDataBlock(_:)|
method|AFURLSessionManager|-setDataTaskWillCacheResponseBlock:|setDataTaskWillCacheResponseBlock(_:)|setDataTaskWillCacheResponseBlock(_:)|called with `.connection`
method|AFURLSessionManager|-setDidFinishEventsForBackgroundURLSessionBlock:|setDidFinishEventsForBackgroundURLSessionBlock(_:)|setDidFinishEventsForBackgroundURLSessionBlock(_:)|never called on Linux (LX-20)
method|AFURLSessionManager|-setDownloadTaskDidFinishDownloadingBlock:|setDownloadTaskDidFinishDownloadingBlock(_:)|setDownloadTaskDidFinishDownloadingBlock(_:)|
method|AFURLSessionManager|-setDownloadTaskDidWriteDataBlock:|setDownloadTaskDidWriteDataBlock(_:)|setDownloadTaskDidWriteDataBlock(_:)|
method|AFURLSessionManager|-setDownloadTaskDidResumeBlock:|setDownloadTaskDidResumeBlock(_:)|setDownloadTaskDidResumeBlock(_:)|
property|AFHTTPSessionManager|@baseURL|baseURL|baseURL|
property|AFHTTPSessionManager|@requestSerializer|requestSerializer|requestSerializer|
property|AFHTTPSessionManager|@responseSerializer|responseSerializer|responseSerializer|
property|AFHTTPSessionManager|@securityPolicy|securityPolicy|securityPolicy|a policy that this base cannot keep fails every task; `setSecurityPolicy(_:)` throws
initializer|AFHTTPSessionManager|+manager|init()|init()|
initializer|AFHTTPSessionManager|-initWithBaseURL:|init(baseURL:)|init(baseURL:)|
initializer|AFHTTPSessionManager|-initWithBaseURL:sessionConfiguration:|init(baseURL:sessionConfiguration:)|init(baseURL:sessionConfiguration:)|
method|AFHTTPSessionManager|-GET:parameters:success:failure:|get(_:parameters:success:failure:)|get(_:parameters:headers:progress:success:failure:)|2.x
method|AFHTTPSessionManager|-GET:parameters:progress:success:failure:|get(_:parameters:progress:success:failure:)|get(_:parameters:headers:progress:success:failure:)|3.x
method|AFHTTPSessionManager|-GET:parameters:headers:progress:success:failure:|get(_:parameters:headers:progress:success:failure:)|get(_:parameters:headers:progress:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-HEAD:parameters:success:failure:|head(_:parameters:success:failure:)|head(_:parameters:headers:success:failure:)|2.x
method|AFHTTPSessionManager|-HEAD:parameters:headers:success:failure:|head(_:parameters:headers:success:failure:)|head(_:parameters:headers:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-POST:parameters:success:failure:|post(_:parameters:success:failure:)|post(_:parameters:headers:progress:success:failure:)|2.x
method|AFHTTPSessionManager|-POST:parameters:progress:success:failure:|post(_:parameters:progress:success:failure:)|post(_:parameters:headers:progress:success:failure:)|3.x
method|AFHTTPSessionManager|-POST:parameters:headers:progress:success:failure:|post(_:parameters:headers:progress:success:failure:)|post(_:parameters:headers:progress:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-POST:parameters:constructingBodyWithBlock:success:failure:|post(_:parameters:constructingBodyWith:success:failure:)|post(_:parameters:headers:constructingBodyWith:progress:success:failure:)|2.x
method|AFHTTPSessionManager|-POST:parameters:constructingBodyWithBlock:progress:success:failure:|post(_:parameters:constructingBodyWith:progress:success:failure:)|post(_:parameters:headers:constructingBodyWith:progress:success:failure:)|3.x
method|AFHTTPSessionManager|-POST:parameters:headers:constructingBodyWithBlock:progress:success:failure:|post(_:parameters:headers:constructingBodyWith:progress:success:failure:)|post(_:parameters:headers:constructingBodyWith:progress:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-PUT:parameters:success:failure:|put(_:parameters:success:failure:)|put(_:parameters:headers:success:failure:)|2.x
method|AFHTTPSessionManager|-PUT:parameters:headers:success:failure:|put(_:parameters:headers:success:failure:)|put(_:parameters:headers:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-PATCH:parameters:success:failure:|patch(_:parameters:success:failure:)|patch(_:parameters:headers:success:failure:)|2.x
method|AFHTTPSessionManager|-PATCH:parameters:headers:success:failure:|patch(_:parameters:headers:success:failure:)|patch(_:parameters:headers:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-DELETE:parameters:success:failure:|delete(_:parameters:success:failure:)|delete(_:parameters:headers:success:failure:)|2.x
method|AFHTTPSessionManager|-DELETE:parameters:headers:success:failure:|delete(_:parameters:headers:success:failure:)|delete(_:parameters:headers:success:failure:)|hands out a `SessionDataTask`
method|AFHTTPSessionManager|-dataTaskWithHTTPMethod:URLString:parameters:headers:uploadProgress:downloadProgress:success:failure:|dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)|dataTask(withHTTPMethod:urlString:parameters:headers:uploadProgress:downloadProgress:success:failure:)|hands out a `SessionDataTask`
property|AFNetworkActivityIndicatorManager|@enabled|isEnabled|isEnabled|
property|AFNetworkActivityIndicatorManager|@isNetworkActivityIndicatorVisible|isNetworkActivityIndicatorVisible|isNetworkActivityIndicatorVisible|there is no indicator; set a block
property|AFNetworkActivityIndicatorManager|@activationDelay|activationDelay|activationDelay|3.x, 4.x; 0 at first, was 1
property|AFNetworkActivityIndicatorManager|@completionDelay|completionDelay|completionDelay|3.x, 4.x
method|AFNetworkActivityIndicatorManager|+sharedManager|shared()|shared|a property
method|AFNetworkActivityIndicatorManager|-setNetworkingActivityActionWithBlock:|setNetworkingActivityActionWith(_:)|setVisibilityChangeBlock(_:)|3.x, 4.x
method|AFNetworkActivityIndicatorManager|-incrementActivityCount|incrementActivityCount()|incrementActivityCount()|
method|AFNetworkActivityIndicatorManager|-decrementActivityCount|decrementActivityCount()|decrementActivityCount()|
"""#
}
