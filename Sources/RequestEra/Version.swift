import SessionTasks

/// The version of Alamofire whose behaviour this is.
package let requestEraVersion = "4.9.1"
