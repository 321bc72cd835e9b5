public import CurlConnection
public import FoundationNetworking
public import SessionTasks

// Sources that name Foundation's tasks get those of this port: a request's task is one. The names hide
// Foundation's where FoundationNetworking is imported through this module alone, as old sources do.

/// A task of a session.
public typealias URLSessionTask = SessionTask
/// A task whose body is kept in memory or handed over.
public typealias URLSessionDataTask = SessionDataTask
/// A task that sends a body.
public typealias URLSessionUploadTask = SessionUploadTask
/// A task that writes a file.
public typealias URLSessionDownloadTask = SessionDownloadTask

extension SessionTask {
    /// Whether a task runs, waits, is being cancelled or has ended.
    public typealias State = FoundationNetworking.URLSessionTask.State
    /// 0.5.
    public static var defaultPriority: Float { FoundationNetworking.URLSessionTask.defaultPriority }
    /// 0.25.
    public static var lowPriority: Float { FoundationNetworking.URLSessionTask.lowPriority }
    /// 0.75.
    public static var highPriority: Float { FoundationNetworking.URLSessionTask.highPriority }
}

/// The times of a request; of a response its `metrics`.
public typealias URLSessionTaskMetrics = RequestMetrics
/// The times of one exchange of it.
public typealias URLSessionTaskTransactionMetrics = TransactionMetrics
