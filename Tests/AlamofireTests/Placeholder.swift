import Alamofire
import Testing
