import CurlConnection

/// What a handler is given, with the times of its request.
protocol MeasuredResponse: SendableMetatype {
    var metrics: RequestMetrics? { get set }
}

extension DataResponse: MeasuredResponse {}
extension DefaultDataResponse: MeasuredResponse {}
extension DownloadResponse: MeasuredResponse {}
extension DefaultDownloadResponse: MeasuredResponse {}

extension MeasuredResponse {
    /// The same with what was measured.
    func with(_ metrics: RequestMetrics?) -> Self {
        var response = self
        response.metrics = metrics
        return response
    }
}
