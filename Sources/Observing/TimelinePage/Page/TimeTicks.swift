/// The ticks of an axis: about eight, in steps of 1, 2 or 5 times a power of ten.
struct TimeTicks {
    /// In milliseconds, from 0.
    let times: [Double]
    private let step: Double

    /// - Parameter duration: the axis in milliseconds, above 0.
    init(duration: Double) {
        var power = 0.001
        while power * 10 <= duration / 5 { power *= 10 }
        let steps = [1, 2, 5, 10].map { $0 * power }
        let step = steps.first { duration / $0 <= 10 } ?? power * 10
        self.step = step
        times = (0...Int((duration / step).rounded(.down))).map { Double($0) * step }
    }

    func text(_ time: Double) -> String {
        if time >= 1000, step >= 100 {
            return HTMLText.coordinate(time / 1000) + " s"
        }
        if time == 0 { return "0" }
        let decimals = step >= 1 ? HTMLText.coordinate(time) : HTMLText.exact(time)
        return decimals + " ms"
    }
}
