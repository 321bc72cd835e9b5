import Alamofire
import Foundation

func readPieces(_ url: String, completion: @escaping (Int, Bool) -> Void) {
    var count = 0
    Alamofire.request(url)
        .stream { data in count += data.count }
        .response { response in completion(count, response.data == nil) }
}
