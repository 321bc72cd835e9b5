// swift-format-ignore-file: NeverForceUnwrap, NeverUseImplicitlyUnwrappedOptionals
import AFNetworking

/// Clients with initializers of their own, as most were written.
class YelpClient: AFHTTPRequestOperationManager {
    var accessToken: String!

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }

    init(base: URL, accessToken token: String!) {
        self.accessToken = token
        super.init(baseURL: base)
        requestSerializer.setValue(token, forHTTPHeaderField: "X-Token")
    }
}

class PlainClient: AFHTTPRequestOperationManager {
    override init(baseURL url: URL?) {
        super.init(baseURL: url)
        securityPolicy = AFSecurityPolicy()
        requestSerializer.timeoutInterval = 15
    }

    required init?(coder aDecoder: NSCoder) {
        fatalError("init(coder:) has not been implemented")
    }
}

class TweetClient: AFHTTPSessionManager {
    let account: String

    init(base: URL, account: String) {
        self.account = account
        super.init(baseURL: base, sessionConfiguration: .ephemeral)
        requestSerializer.setValue(account, forHTTPHeaderField: "X-Token")
    }

    required init?(coder aDecoder: NSCoder) {
        account = aDecoder.decodeObject(forKey: "account") as? String ?? "none"
        super.init(coder: aDecoder)
    }
}

class PlainTweetClient: AFHTTPSessionManager {
    override init(baseURL url: URL?, sessionConfiguration configuration: URLSessionConfiguration?) {
        super.init(baseURL: url, sessionConfiguration: configuration)
        requestSerializer.setValue("plain", forHTTPHeaderField: "X-Token")
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }
}

class PlainSessions: AFURLSessionManager {
    override init(sessionConfiguration configuration: URLSessionConfiguration?) {
        super.init(sessionConfiguration: configuration)
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }
}

class PhotoOperation: AFHTTPRequestOperation {
    var photoID = 0

    init(photo: Int, of base: URL) {
        photoID = photo
        super.init(request: URLRequest(url: base.appendingPathComponent("photos/\(photo)")))
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }
}

class MarkedOperation: AFURLConnectionOperation {
    override init(request urlRequest: URLRequest) {
        super.init(request: urlRequest)
        userInfo = ["mark": "set"]
    }

    required init?(coder aDecoder: NSCoder) {
        super.init(coder: aDecoder)
    }
}

/// A serializer that announces what it changes.
class AnnouncingSerializer: AFHTTPRequestSerializer {
    private var key = ""
    var apiKey: String {
        get { return key }
        set {
            willChangeValue(forKey: "apiKey")
            key = newValue
            setValue(newValue, forHTTPHeaderField: "X-Key")
            didChangeValue(forKey: "apiKey")
        }
    }
}

class AnnouncingResponses: AFJSONResponseSerializer {
    var depth = 0 {
        willSet { self.willChangeValue(forKey: "depth") }
        didSet { self.didChangeValue(forKey: "depth") }
    }
}

/// What a body says at a path, as the methods of key-value coding read it.
func cityOfFirstUser(_ responseObject: Any?) -> String? {
    let dictionary = responseObject as! NSDictionary
    let cities = dictionary.value(forKeyPath: "users.address.city") as? [Any]
    return cities?.first as? String
}

func afterTenth(of block: @escaping () -> Void) {
    let delay = Double(Int64(0.1 * Double(NSEC_PER_SEC))) / Double(NSEC_PER_SEC)
    DispatchQueue.main.asyncAfter(deadline: DispatchTime.now() + delay, execute: block)
}

class Refusing: AFHTTPRequestOperation {
    override init(request urlRequest: URLRequest) { super.init(request: urlRequest) }
    required init?(coder aDecoder: NSCoder) { return nil }
}
