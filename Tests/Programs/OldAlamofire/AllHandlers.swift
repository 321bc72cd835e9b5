import Alamofire
import Foundation

/// Every kind of handler on one request, in the order of a console.
class ConsoleClient {
    private(set) var lines: [String] = []

    func run(_ url: String, finished: @escaping () -> Void) {
        Alamofire.request(url)
            .response { response in
                self.lines.append("plain \(response.error == nil)")
                if let data = response.data, let utf8Text = String(data: data, encoding: .utf8) {
                    self.lines.append(utf8Text)
                }
            }
            .responseData { response in
                debugPrint("All Response Info: \(response)")
                self.lines.append("data \(response.result.value?.count ?? 0)")
            }
            .responseString { response in
                self.lines.append("string \(response.result.isSuccess)")
                self.lines.append(response.result.value ?? "none")
            }
            .responseString(encoding: .utf16) { response in
                self.lines.append("utf16 \(response.result.isFailure)")
            }
            .responseJSON { response in
                self.lines.append("json \(response.result)")
            }
            .responseJSON(options: []) { response in
                self.lines.append("json \(response.value != nil)")
            }
            .responsePropertyList { response in
                self.lines.append("plist \(response.result.isFailure)")
                finished()
            }
    }

    func runAside(_ url: String, finished: @escaping (Bool) -> Void) {
        let utilityQueue = DispatchQueue.global(qos: .utility)

        Alamofire.request(url).responseJSON(queue: utilityQueue) { response in
            finished(Thread.isMainThread)
        }
    }
}
