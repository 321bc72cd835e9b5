public import Foundation

extension Notification.Name {
    /// Posted on main when a task that was not running is resumed; the object is the `SessionTask`.
    public static let networkingTaskDidResume = Notification.Name(
        "com.alamofire.networking.task.resume")

    /// Posted on main when a task that was not suspended is suspended; the object is the
    /// `SessionTask`.
    public static let networkingTaskDidSuspend = Notification.Name(
        "com.alamofire.networking.task.suspend")

    /// Posted on main after a task's completion handler; the object is the `SessionTask`, the user
    /// info has the keys `networkingTaskDidComplete…Key`.
    public static let networkingTaskDidComplete = Notification.Name(
        "com.alamofire.networking.task.complete")

    /// Posted on the delegate queue when a session has become invalid; the object is the
    /// `URLSession`.
    public static let urlSessionDidInvalidate = Notification.Name(
        "com.alamofire.networking.session.invalidate")

    /// Posted on the delegate queue when a downloaded file was moved to its destination; the object
    /// is the `SessionDownloadTask`.
    public static let urlSessionDownloadTaskDidMoveFileSuccessfully = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-succeed")

    /// Posted on the delegate queue when a downloaded file could not be moved; the object is the
    /// `SessionDownloadTask`, the user info that of the file manager's error.
    public static let urlSessionDownloadTaskDidFailToMoveFile = Notification.Name(
        "com.alamofire.networking.session.download.file-manager-error")
}

/// User info key of `networkingTaskDidComplete`: the body's `Data`; absent for a download with a destination, and for
/// `bytes(for:)`.
public let networkingTaskDidCompleteResponseDataKey =
    "com.alamofire.networking.complete.finish.responsedata"

/// User info key of `networkingTaskDidComplete`: the serializer's object, or a download's URL.
public let networkingTaskDidCompleteSerializedResponseKey =
    "com.alamofire.networking.task.complete.serializedresponse"

/// User info key of `networkingTaskDidComplete`: the response serializer; always present.
public let networkingTaskDidCompleteResponseSerializerKey =
    "com.alamofire.networking.task.complete.responseserializer"

/// User info key of `networkingTaskDidComplete`: where a download's file was to be moved, also where that failed.
public let networkingTaskDidCompleteAssetPathKey =
    "com.alamofire.networking.task.complete.assetpath"

/// User info key of `networkingTaskDidComplete`: the error of the session or of the serializer, as
/// an `NSError`.
public let networkingTaskDidCompleteErrorKey = "com.alamofire.networking.task.complete.error"

/// User info key of `networkingTaskDidComplete`: the `RequestMetrics` of the task.
public let networkingTaskDidCompleteSessionTaskMetricsKey =
    "com.alamofire.networking.complete.sessiontaskmetrics"
