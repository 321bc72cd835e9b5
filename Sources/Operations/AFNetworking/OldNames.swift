// Written from Documentation/Migration/renames.json by scripts/update-renames; change that file.

public import CurlConnection
public import Foundation
public import NetworkImages
public import OperationNetworking
public import SessionEra

/// `URLConnectionOperation` under its old name.
@available(*, deprecated, renamed: "URLConnectionOperation")
public typealias AFURLConnectionOperation = URLConnectionOperation

/// `HTTPRequestOperation` under its old name.
@available(*, deprecated, renamed: "HTTPRequestOperation")
public typealias AFHTTPRequestOperation = HTTPRequestOperation

/// `HTTPRequestOperationManager` under its old name.
@available(*, deprecated, renamed: "HTTPRequestOperationManager")
public typealias AFHTTPRequestOperationManager = HTTPRequestOperationManager

/// `URLSessionManager` under its old name.
@available(*, deprecated, renamed: "URLSessionManager")
public typealias AFURLSessionManager = URLSessionManager

/// `HTTPSessionManager` under its old name.
@available(*, deprecated, renamed: "HTTPSessionManager")
public typealias AFHTTPSessionManager = HTTPSessionManager

/// `URLRequestSerialization` under its old name.
@available(*, deprecated, renamed: "URLRequestSerialization")
public typealias AFURLRequestSerialization = URLRequestSerialization

/// `HTTPRequestSerializer` under its old name.
@available(*, deprecated, renamed: "HTTPRequestSerializer")
public typealias AFHTTPRequestSerializer = HTTPRequestSerializer

/// `JSONRequestSerializer` under its old name.
@available(*, deprecated, renamed: "JSONRequestSerializer")
public typealias AFJSONRequestSerializer = JSONRequestSerializer

/// `PropertyListRequestSerializer` under its old name.
@available(*, deprecated, renamed: "PropertyListRequestSerializer")
public typealias AFPropertyListRequestSerializer = PropertyListRequestSerializer

/// `MultipartFormData` under its old name.
@available(*, deprecated, renamed: "MultipartFormData")
public typealias AFMultipartFormData = MultipartFormData

/// `URLResponseSerialization` under its old name.
@available(*, deprecated, renamed: "URLResponseSerialization")
public typealias AFURLResponseSerialization = URLResponseSerialization

/// `HTTPResponseSerializer` under its old name.
@available(*, deprecated, renamed: "HTTPResponseSerializer")
public typealias AFHTTPResponseSerializer = HTTPResponseSerializer

/// `JSONResponseSerializer` under its old name.
@available(*, deprecated, renamed: "JSONResponseSerializer")
public typealias AFJSONResponseSerializer = JSONResponseSerializer

/// `XMLParserResponseSerializer` under its old name.
@available(*, deprecated, renamed: "XMLParserResponseSerializer")
public typealias AFXMLParserResponseSerializer = XMLParserResponseSerializer

/// `XMLDocumentResponseSerializer` under its old name.
@available(*, deprecated, renamed: "XMLDocumentResponseSerializer")
public typealias AFXMLDocumentResponseSerializer = XMLDocumentResponseSerializer

/// `PropertyListResponseSerializer` under its old name.
@available(*, deprecated, renamed: "PropertyListResponseSerializer")
public typealias AFPropertyListResponseSerializer = PropertyListResponseSerializer

/// `ImageResponseSerializer` under its old name.
@available(*, deprecated, renamed: "ImageResponseSerializer")
public typealias AFImageResponseSerializer = ImageResponseSerializer

/// `ImageDownloader` under its old name.
@available(*, deprecated, renamed: "ImageDownloader")
public typealias AFImageDownloader = ImageDownloader

/// `ImageDownloadReceipt` under its old name.
@available(*, deprecated, renamed: "ImageDownloadReceipt")
public typealias AFImageDownloadReceipt = ImageDownloadReceipt

/// `TransferOrder` under its old name.
@available(*, deprecated, renamed: "TransferOrder")
public typealias AFImageDownloadPrioritization = TransferOrder

/// `ImageCache` under its old name.
@available(*, deprecated, renamed: "ImageCache")
public typealias AFImageCache = ImageCache

/// `ImageRequestCache` under its old name.
@available(*, deprecated, renamed: "ImageRequestCache")
public typealias AFImageRequestCache = ImageRequestCache

/// `AutoPurgingImageCache` under its old name.
@available(*, deprecated, renamed: "AutoPurgingImageCache")
public typealias AFAutoPurgingImageCache = AutoPurgingImageCache

/// `CompoundResponseSerializer` under its old name.
@available(*, deprecated, renamed: "CompoundResponseSerializer")
public typealias AFCompoundResponseSerializer = CompoundResponseSerializer

/// `SecurityPolicy` under its old name.
@available(*, deprecated, renamed: "SecurityPolicy")
public typealias AFSecurityPolicy = SecurityPolicy

/// `SecurityPolicy.PinningMode` under its old name.
@available(*, deprecated, renamed: "SecurityPolicy.PinningMode")
public typealias AFSSLPinningMode = SecurityPolicy.PinningMode

/// `NetworkReachabilityManager` under its old name.
@available(*, deprecated, renamed: "NetworkReachabilityManager")
public typealias AFNetworkReachabilityManager = NetworkReachabilityManager

/// `NetworkReachabilityStatus` under its old name.
@available(*, deprecated, renamed: "NetworkReachabilityStatus")
public typealias AFNetworkReachabilityStatus = NetworkReachabilityStatus

/// `NetworkActivityManager` under its old name.
@available(*, deprecated, renamed: "NetworkActivityManager")
public typealias AFNetworkActivityIndicatorManager = NetworkActivityManager

/// `URLConnection` under its old name.
@available(*, deprecated, renamed: "URLConnection")
public typealias NSURLConnection = URLConnection

/// `NetworkingError.requestSerializationDomain` under its old name.
@available(*, deprecated, renamed: "NetworkingError.requestSerializationDomain")
public var AFURLRequestSerializationErrorDomain: String {
    NetworkingError.requestSerializationDomain
}

/// `NetworkingError.responseSerializationDomain` under its old name.
@available(*, deprecated, renamed: "NetworkingError.responseSerializationDomain")
public var AFURLResponseSerializationErrorDomain: String {
    NetworkingError.responseSerializationDomain
}

/// `NetworkingError.failingURLRequestKey` under its old name.
@available(*, deprecated, renamed: "NetworkingError.failingURLRequestKey")
public var AFNetworkingOperationFailingURLRequestErrorKey: String {
    NetworkingError.failingURLRequestKey
}

/// `NetworkingError.failingURLResponseKey` under its old name.
@available(*, deprecated, renamed: "NetworkingError.failingURLResponseKey")
public var AFNetworkingOperationFailingURLResponseErrorKey: String {
    NetworkingError.failingURLResponseKey
}

/// `NetworkingError.failingURLResponseDataKey` under its old name.
@available(*, deprecated, renamed: "NetworkingError.failingURLResponseDataKey")
public var AFNetworkingOperationFailingURLResponseDataErrorKey: String {
    NetworkingError.failingURLResponseDataKey
}

/// `networkingReachabilityNotificationStatusItem` under its old name.
@available(*, deprecated, renamed: "networkingReachabilityNotificationStatusItem")
public var AFNetworkingReachabilityNotificationStatusItem: String {
    networkingReachabilityNotificationStatusItem
}

/// `networkingTaskDidCompleteResponseDataKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteResponseDataKey")
public var AFNetworkingTaskDidCompleteResponseDataKey: String {
    networkingTaskDidCompleteResponseDataKey
}

/// `networkingTaskDidCompleteSerializedResponseKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteSerializedResponseKey")
public var AFNetworkingTaskDidCompleteSerializedResponseKey: String {
    networkingTaskDidCompleteSerializedResponseKey
}

/// `networkingTaskDidCompleteResponseSerializerKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteResponseSerializerKey")
public var AFNetworkingTaskDidCompleteResponseSerializerKey: String {
    networkingTaskDidCompleteResponseSerializerKey
}

/// `networkingTaskDidCompleteAssetPathKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteAssetPathKey")
public var AFNetworkingTaskDidCompleteAssetPathKey: String {
    networkingTaskDidCompleteAssetPathKey
}

/// `networkingTaskDidCompleteErrorKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteErrorKey")
public var AFNetworkingTaskDidCompleteErrorKey: String {
    networkingTaskDidCompleteErrorKey
}

/// `networkingTaskDidCompleteSessionTaskMetricsKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteSessionTaskMetricsKey")
public var AFNetworkingTaskDidCompleteSessionTaskMetrics: String {
    networkingTaskDidCompleteSessionTaskMetricsKey
}

/// `networkingTaskDidCompleteResponseDataKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteResponseDataKey")
public var AFNetworkingTaskDidFinishResponseDataKey: String {
    networkingTaskDidCompleteResponseDataKey
}

/// `networkingTaskDidCompleteSerializedResponseKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteSerializedResponseKey")
public var AFNetworkingTaskDidFinishSerializedResponseKey: String {
    networkingTaskDidCompleteSerializedResponseKey
}

/// `networkingTaskDidCompleteResponseSerializerKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteResponseSerializerKey")
public var AFNetworkingTaskDidFinishResponseSerializerKey: String {
    networkingTaskDidCompleteResponseSerializerKey
}

/// `networkingTaskDidCompleteAssetPathKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteAssetPathKey")
public var AFNetworkingTaskDidFinishAssetPathKey: String {
    networkingTaskDidCompleteAssetPathKey
}

/// `networkingTaskDidCompleteErrorKey` under its old name.
@available(*, deprecated, renamed: "networkingTaskDidCompleteErrorKey")
public var AFNetworkingTaskDidFinishErrorKey: String {
    networkingTaskDidCompleteErrorKey
}

extension Notification.Name {
    /// `networkingOperationDidStart` under its old name.
    @available(*, deprecated, renamed: "networkingOperationDidStart")
    public static var AFNetworkingOperationDidStart: Notification.Name {
        .networkingOperationDidStart
    }

    /// `networkingOperationDidFinish` under its old name.
    @available(*, deprecated, renamed: "networkingOperationDidFinish")
    public static var AFNetworkingOperationDidFinish: Notification.Name {
        .networkingOperationDidFinish
    }

    /// `networkingReachabilityDidChange` under its old name.
    @available(*, deprecated, renamed: "networkingReachabilityDidChange")
    public static var AFNetworkingReachabilityDidChange: Notification.Name {
        .networkingReachabilityDidChange
    }

    /// `networkingTaskDidResume` under its old name.
    @available(*, deprecated, renamed: "networkingTaskDidResume")
    public static var AFNetworkingTaskDidResume: Notification.Name {
        .networkingTaskDidResume
    }

    /// `networkingTaskDidSuspend` under its old name.
    @available(*, deprecated, renamed: "networkingTaskDidSuspend")
    public static var AFNetworkingTaskDidSuspend: Notification.Name {
        .networkingTaskDidSuspend
    }

    /// `networkingTaskDidComplete` under its old name.
    @available(*, deprecated, renamed: "networkingTaskDidComplete")
    public static var AFNetworkingTaskDidComplete: Notification.Name {
        .networkingTaskDidComplete
    }

    /// `networkingTaskDidResume` under its old name.
    @available(*, deprecated, renamed: "networkingTaskDidResume")
    public static var AFNetworkingTaskDidStart: Notification.Name {
        .networkingTaskDidResume
    }

    /// `networkingTaskDidComplete` under its old name.
    @available(*, deprecated, renamed: "networkingTaskDidComplete")
    public static var AFNetworkingTaskDidFinish: Notification.Name {
        .networkingTaskDidComplete
    }

    /// `urlSessionDidInvalidate` under its old name.
    @available(*, deprecated, renamed: "urlSessionDidInvalidate")
    public static var AFURLSessionDidInvalidate: Notification.Name {
        .urlSessionDidInvalidate
    }

    /// `urlSessionDownloadTaskDidMoveFileSuccessfully` under its old name.
    @available(*, deprecated, renamed: "urlSessionDownloadTaskDidMoveFileSuccessfully")
    public static var AFURLSessionDownloadTaskDidMoveFileSuccessfully: Notification.Name {
        .urlSessionDownloadTaskDidMoveFileSuccessfully
    }

    /// `urlSessionDownloadTaskDidFailToMoveFile` under its old name.
    @available(*, deprecated, renamed: "urlSessionDownloadTaskDidFailToMoveFile")
    public static var AFURLSessionDownloadTaskDidFailToMoveFile: Notification.Name {
        .urlSessionDownloadTaskDidFailToMoveFile
    }
}

/// `Notification.Name.networkingOperationDidStart` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingOperationDidStart")
public var AFNetworkingOperationDidStartNotification: String {
    Notification.Name.networkingOperationDidStart.rawValue
}

/// `Notification.Name.networkingOperationDidFinish` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingOperationDidFinish")
public var AFNetworkingOperationDidFinishNotification: String {
    Notification.Name.networkingOperationDidFinish.rawValue
}

/// `Notification.Name.networkingReachabilityDidChange` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingReachabilityDidChange")
public var AFNetworkingReachabilityDidChangeNotification: String {
    Notification.Name.networkingReachabilityDidChange.rawValue
}

/// `Notification.Name.networkingTaskDidResume` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingTaskDidResume")
public var AFNetworkingTaskDidResumeNotification: String {
    Notification.Name.networkingTaskDidResume.rawValue
}

/// `Notification.Name.networkingTaskDidSuspend` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingTaskDidSuspend")
public var AFNetworkingTaskDidSuspendNotification: String {
    Notification.Name.networkingTaskDidSuspend.rawValue
}

/// `Notification.Name.networkingTaskDidComplete` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingTaskDidComplete")
public var AFNetworkingTaskDidCompleteNotification: String {
    Notification.Name.networkingTaskDidComplete.rawValue
}

/// `Notification.Name.networkingTaskDidResume` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingTaskDidResume")
public var AFNetworkingTaskDidStartNotification: String {
    Notification.Name.networkingTaskDidResume.rawValue
}

/// `Notification.Name.networkingTaskDidComplete` under its old name.
@available(*, deprecated, renamed: "Notification.Name.networkingTaskDidComplete")
public var AFNetworkingTaskDidFinishNotification: String {
    Notification.Name.networkingTaskDidComplete.rawValue
}

/// `Notification.Name.urlSessionDidInvalidate` under its old name.
@available(*, deprecated, renamed: "Notification.Name.urlSessionDidInvalidate")
public var AFURLSessionDidInvalidateNotification: String {
    Notification.Name.urlSessionDidInvalidate.rawValue
}

/// `Notification.Name.urlSessionDownloadTaskDidMoveFileSuccessfully` under its old name.
@available(
    *, deprecated,
    renamed: "Notification.Name.urlSessionDownloadTaskDidMoveFileSuccessfully"
)
public var AFURLSessionDownloadTaskDidMoveFileSuccessfullyNotification: String {
    Notification.Name.urlSessionDownloadTaskDidMoveFileSuccessfully.rawValue
}

/// `Notification.Name.urlSessionDownloadTaskDidFailToMoveFile` under its old name.
@available(*, deprecated, renamed: "Notification.Name.urlSessionDownloadTaskDidFailToMoveFile")
public var AFURLSessionDownloadTaskDidFailToMoveFileNotification: String {
    Notification.Name.urlSessionDownloadTaskDidFailToMoveFile.rawValue
}
