import CurlConnection
import Foundation

/// An operation that a manager's gate may hold back.
protocol GatedOperation: Operation {
    /// Its way through the gate; nil where there is none.
    var currentAdmission: Admission? { get }
    /// What it waits for while it runs; nil where that is nothing.
    var loadWait: LoadWait? { get }
}
