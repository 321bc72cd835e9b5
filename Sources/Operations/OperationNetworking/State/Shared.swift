/// A value outside of its holders, so that many share one; a holder that changes it gets its own copy.
///
/// The shared value never changes, so holders need no lock.
struct Shared<Value> {
    private final class Box: @unchecked Sendable {
        // @unchecked because it is constant; the value's parts are as safe as its holders say.
        let value: Value

        init(_ value: Value) {
            self.value = value
        }
    }

    private var box: Box

    init(_ value: Value) {
        box = Box(value)
    }

    var value: Value {
        get { box.value }
        set { box = Box(newValue) }
    }

    func isSame(as other: Shared) -> Bool { box === other.box }
}
