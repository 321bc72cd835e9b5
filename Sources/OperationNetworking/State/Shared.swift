/// A value outside of its holders, so that many share one; who changes it gets one of his own.
///
/// What lies outside is never changed, so holders need nothing between them.
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
