import CurlConnection
import TestSupport

@testable import OperationNetworking

/// One answer, asked for by many.
@Suite("A serialized answer", .timeLimit(.minutes(5)))
struct LazySerializedResponseTests {
    @Test func `readers wait for the one who is serializing and get the same object`() async {
        let serializer = HeldSerializer()
        let answer = LazySerializedResponse(serializer)
        let (objects, done) = (Log<ObjectIdentifier?>(), Signal())
        for _ in 0..<8 {
            Thread.detachNewThread {
                let object = answer.object(of: nil, nil) as? NSObject
                objects.add(object.map(ObjectIdentifier.init))
                done.fire()
            }
        }
        await serializer.entered.wait()
        #expect(answer.error == nil)
        serializer.gate.signal()
        await done.wait(for: 8, "all readers")
        #expect(serializer.entered.count == 1)
        #expect(Set(objects.all).count == 1 && objects.all.first != .some(nil))
    }

    @Test func `a serializer that asks for the object itself gets none, and goes on`() async {
        let serializer = HeldSerializer()
        let answer = LazySerializedResponse(serializer)
        let seen = Log<Bool>()
        serializer.inside.withLock {
            $0 = { seen.add(answer.object(of: nil, nil) == nil) }
        }
        serializer.gate.signal()
        #expect(answer.object(of: nil, nil) != nil)
        #expect(seen.all == [true])
    }

    @Test func `a serializer set meanwhile makes the object anew`() async {
        let held = HeldSerializer()
        let answer = LazySerializedResponse(held)
        let done = Signal()
        Thread.detachNewThread {
            _ = answer.object(of: nil, Data())
            done.fire()
        }
        await held.entered.wait()
        answer.serializer = HTTPResponseSerializer()
        #expect(answer.object(of: nil, Data([1])) as? Data == Data([1]))
        held.gate.signal()
        await done.wait()
        #expect(answer.object(of: nil, nil) as? Data == Data([1]))
    }
}
