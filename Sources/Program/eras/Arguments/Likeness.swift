/// Pure: the known name that is most like a mistyped one.
enum Likeness {
    /// The known name with the fewest letters to change; nil when it is more than a third of them.
    static func nearest(to name: String, among names: [String]) -> String? {
        let nearest = names.map { (name: $0, steps: steps(from: name, to: $0)) }
            .min { $0.steps < $1.steps }
        guard let nearest, nearest.steps * 3 <= nearest.name.count else { return nil }
        return nearest.name
    }

    /// The letters to insert, remove or replace (Levenshtein's distance).
    static func steps(from old: String, to new: String) -> Int {
        let new = Array(new)
        var line = Array(0...new.count)
        for (index, letter) in old.enumerated() {
            var diagonal = index
            line[0] = index + 1
            for column in new.indices {
                let exchanged = diagonal + (new[column] == letter ? 0 : 1)
                diagonal = line[column + 1]
                line[column + 1] = min(exchanged, diagonal + 1, line[column] + 1)
            }
        }
        return line[new.count]
    }
}
