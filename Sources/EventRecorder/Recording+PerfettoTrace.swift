public import Foundation

extension Recording {
    /// The recording in Chrome's trace event format, for Perfetto's and Chrome's viewers.
    ///
    /// Times are microseconds from the start. Spans on one thread are slices of the thread (B and
    /// E), other spans are asynchronous (b and e) with their subject as identifier; moments of a
    /// transfer, operation or task lie on its track (n), others on their thread (i). Arrows lead
    /// from a block's submission to its run (s and f). A span that start or stop cut says so in its
    /// arguments and goes to the edge of the trace.
    public func perfettoTrace() throws -> Data {
        var trace = PerfettoTrace(self)
        return Data(trace.bytes())
    }
}
