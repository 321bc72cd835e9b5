import CurlConnection
import TestSupport

extension RequestMetrics {
    /// Each exchange's dates are in order, and the parts of each and of the whole add up.
    func expectSound(sourceLocation: SourceLocation = #_sourceLocation) {
        for transaction in transactionMetrics {
            let dates = transaction.dates
            #expect(dates == dates.sorted(), sourceLocation: sourceLocation)
            transaction.durations.expectSound(sourceLocation: sourceLocation)
            #expect(taskInterval.contains(transaction.fetchStartDate ?? .distantPast))
            if let end = transaction.responseEndDate {
                #expect(end <= taskInterval.end, sourceLocation: sourceLocation)
            }
        }
        let dates = [
            queuedDate, startDate, transactionMetrics.first?.fetchStartDate,
            transactionMetrics.last?.responseEndDate, responseCompletedDate,
            serializationStartDate, serializedDate, calledBackDate,
        ].compactMap(\.self)
        #expect(dates == dates.sorted(), sourceLocation: sourceLocation)
        durations.expectSound(sourceLocation: sourceLocation)
        let parts = transactionMetrics.map(\.durations.total).reduce(.zero, +)
        #expect(parts <= durations.total, sourceLocation: sourceLocation)
        if serializedDate == nil, calledBackDate == nil {
            let difference = durations.total.seconds - taskInterval.duration
            #expect(abs(difference) < 1e-5, sourceLocation: sourceLocation)
        }
    }
}

extension TransactionMetrics {
    /// Those that are known, in the order in which they must be. A server may answer before the whole
    /// request was sent.
    fileprivate var dates: [Date] {
        let isEarly = (responseStartDate ?? .distantFuture) < (requestEndDate ?? .distantPast)
        return [
            fetchStartDate, domainLookupStartDate, domainLookupEndDate, connectStartDate,
            secureConnectionStartDate, secureConnectionEndDate, connectEndDate, requestStartDate,
            isEarly ? nil : requestEndDate, responseStartDate, responseEndDate,
        ].compactMap(\.self)
    }
}

extension RequestDurations {
    fileprivate func expectSound(sourceLocation: SourceLocation) {
        let parts = [
            queued, waitingForConnection, domainLookup, connect, secureConnection, request,
            waitingForResponse, response, serialization, callback, other,
        ]
        #expect(parts.allSatisfy { $0 >= .zero }, "\(self)", sourceLocation: sourceLocation)
        #expect(parts.reduce(.zero, +) == total, sourceLocation: sourceLocation)
    }
}

extension Duration {
    fileprivate var seconds: Double {
        Double(components.seconds) + Double(components.attoseconds) / 1e18
    }
}
