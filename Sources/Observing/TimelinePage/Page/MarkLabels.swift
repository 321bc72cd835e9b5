/// The names that are written beside the marks of a track.
///
/// One rule decides for all of them: a name is written inside its bar if it fits there, else behind its mark, else
/// before it. It is left out where another mark or name is in the way; the table has every name. Dots that touch share
/// a label. A narrow screen has less space, so the rule is applied to three widths.
struct MarkLabels {
    /// A mark that may have a name, and is in the way of other names.
    struct Mark {
        /// In milliseconds.
        var start: Double
        var end: Double
        var isDot: Bool
        /// The distance of its middle from the track's top.
        var middle: Double
        /// Empty where the mark has no name.
        var name: String
        /// Whether it is a thread that waits, whose bar is dark.
        var isDark = false
    }

    /// Class of the style sheet for a screen, and the least width of a track on it, in pixels.
    private static let screens: [(name: String, width: Double)] = [
        ("narrow", 260), ("middle", 480), ("wide", 860),
    ]

    private let marks: [Mark]
    private let duration: Double

    init(_ marks: [Mark], duration: Double) {
        self.marks = marks
        self.duration = duration
    }

    /// The names as HTML; empty without any.
    var html: String {
        var screens: [Label: [String]] = [:]
        var labels: [Label] = []
        for screen in Self.screens {
            for label in self.labels(width: screen.width) {
                if screens[label] == nil { labels.append(label) }
                screens[label, default: []].append(screen.name)
            }
        }
        return labels.map { label in
            let names = screens[label] ?? []
            return label.html(on: names.count == Self.screens.count ? [] : names)
        }.joined()
    }

    private struct Label: Hashable {
        var name: String
        var styles: [String]
        /// The position, as CSS.
        var place: String

        func html(on screens: [String]) -> String {
            "<span class=\"\((["who"] + styles + screens).joined(separator: " "))\" "
                + "style=\"\(place)\">\(HTMLText.escaped(name))</span>"
        }
    }

    // MARK: The rule

    /// A part of a line on a track of a given width, in pixels.
    private struct Extent {
        var left: Double
        var right: Double
        /// The marks that are drawn there.
        var marks: [Int]
    }

    private func labels(width: Double) -> [Label] {
        let lines = Dictionary(grouping: marks.indices) { marks[$0].middle }
        return lines.sorted { $0.key < $1.key }.flatMap { _, indices in
            labels(of: indices.sorted { marks[$0].start < marks[$1].start }, width: width)
        }
    }

    /// - Parameter line: the marks of one line, in the order of time.
    private func labels(of line: [Int], width: Double) -> [Label] {
        var taken = line.map { extent(of: $0, width) }
        var labels: [Label] = []
        for group in groups(line, width) {
            let name = name(of: group)
            let length = Self.length(of: name)
            func isFree(_ from: Double) -> Bool {
                from >= 0 && from + length <= width
                    && !taken.contains { other in
                        other.left < from + length && other.right > from
                            && !other.marks.contains(where: group.marks.contains)
                    }
            }
            let first = marks[group.marks[0]]
            let fits = !first.isDot && group.right - group.left >= length
            let from: Double
            let styles: [String]
            let edge: String
            if fits, isFree(group.left) {
                (from, styles) = (group.left, first.isDark ? ["in", "dark"] : ["in"])
                edge = "left:\(percent(first.start))%"
            } else if isFree(group.right) {
                (from, styles) = (group.right, first.isDot ? ["dot"] : [])
                let last = group.marks.map { marks[$0].end }.max() ?? first.end
                edge = "left:\(percent(last))%"
            } else if isFree(group.left - length) {
                (from, styles) = (group.left - length, ["before"] + (first.isDot ? ["dot"] : []))
                edge = "right:\(percent(duration - first.start))%"
            } else {
                continue
            }
            taken.append(Extent(left: from, right: from + length, marks: []))
            let top = HTMLText.coordinate(first.middle)
            labels.append(Label(name: name, styles: styles, place: "\(edge);top:\(top)px"))
        }
        return labels
    }

    /// The marks with a name; dots that touch share one.
    private func groups(_ line: [Int], _ width: Double) -> [Extent] {
        var groups: [Extent] = []
        for index in line where !marks[index].name.isEmpty {
            let extent = extent(of: index, width)
            if marks[index].isDot, let last = groups.last, marks[last.marks[0]].isDot,
                extent.left < last.right
            {
                groups[groups.count - 1].right = extent.right
                groups[groups.count - 1].marks.append(index)
            } else {
                groups.append(extent)
            }
        }
        return groups
    }

    private func name(of group: Extent) -> String {
        var names: [String] = []
        for name in group.marks.map({ marks[$0].name }) where !names.contains(name) {
            names.append(name)
        }
        return names.joined(separator: ", ")
    }

    private func extent(of index: Int, _ width: Double) -> Extent {
        let mark = marks[index]
        let margin = mark.isDot ? 6.0 : 0
        return Extent(
            left: mark.start / duration * width - margin,
            right: mark.end / duration * width + margin, marks: [index])
    }

    private func percent(_ time: Double) -> String {
        HTMLText.coordinate(time / duration * 100)
    }

    /// The width of a name in pixels. A Chinese character is as wide as the font is high.
    private static func length(of name: String) -> Double {
        name.unicodeScalars.reduce(8) { $0 + ($1.value >= 0x2E80 ? 10 : 6) }
    }
}
