/// What the tests of the layers go by, as data.
enum Layers {
    /// The folders of each module from the lowest up. A folder uses only folders before it; "" is
    /// the module's own folder. A module that is not listed here has one folder.
    static let folders: [String: [String]] = [
        "EventRecorder": ["Redaction", "Recording", "Export", "Stopping", "Stalls"],
        "HTTPSemantics": [
            "Tables", "OpenSSL", "Fields", "Errors", "Ranges", "Time", "Hosts", "Trust", "Cookies",
            "Authentication", "Caching", "Commands", "Retry",
            "",
        ],
        "CurlConnection": [
            "Curl", "Proxies", "Response", "Metrics", "Observing", "Streams", "Local", "Exchange",
            "RunLoop", "Load",
        ],
        "OperationNetworking": [
            "Reachability", "Async", "Serialization", "Serialization/Archive",
            "Serialization/Response",
            "Serialization/Multipart", "Serialization/Request", "Security", "NetworkThread",
            "Delivery", "Body", "Admission", "Operations", "Manager",
            "Downloads", "Activity", "Sharing", "Awaiting",
        ],
        "NetworkImages": [
            "Format", "Scaling", "Limits", "Decoding", "Encoding", "Cache", "Serialization",
            "Downloading", "Displaying",
        ],
        "SessionTasks": [
            "Errors", "Downloads", "Tasks",
        ],
        "SessionEra": ["Session", "HTTP", "Awaiting"],
        "RequestEra": [
            "Reachability", "Trust", "Conversions", "Errors", "Responses",
            "Serialization", "Validation", "Encoding", "Requests", "Awaiting", "Multipart",
            "Session",
        ],
        "Lessons": ["", "Checks"],
        "LoopbackServer": [
            "System", "Messages", "TLS", "Journal", "Routes", "Httpbin", "Connection", "",
        ],
        "TimelinePage": ["Text", "Document", "Tracks", "Page"],
        "eras": [
            "Process", "Text", "Migrate", "Files", "Download", "Display", "Gallery",
            "Compare/Model", "Compare/Stage", "Compare/Additions", "Compare/Scenarios",
            "Compare/Original", "Arguments",
            "Compare/Running",
            "Compare/Report", "Lessons", "Commands", "",
        ],
    ]

    /// Members that extensions add, whose names types of other modules have too.
    static let commonMembers: Set<String> = ["follow", "jsonObject", "of", "wait"]

    /// The most files of a folder.
    static let filesOfFolder = 30

    /// The one folder that imports CCurl.
    static let curlFolder = "CurlConnection/Curl"

    /// The folders of OperationNetworking that the session era uses.
    static let sharedWithSessions: Set<String> = [
        "Async", "Reachability", "Security", "Serialization", "Serialization/Multipart",
        "Serialization/Request", "Serialization/Response",
    ]
    /// Types of other folders that the session era uses.
    static let typesSharedWithSessions: Set<String> = [
        "CopySource", "FormFields", "ObservedManager", "PartialContent", "RequestObserver",
        "RequestPath", "SharingIdentity", "TransferHandle", "TransferStarting",
    ]

    /// Modules of the system that the picture names like those of the package.
    static let systemModules: Set<String> = ["CoreFoundation"]
}
