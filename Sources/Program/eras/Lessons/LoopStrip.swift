import EraLessons
import EventRecorder
import Lessons
import TimelinePage

/// The steps of a run loop as a strip of drawings, one strip for each variant.
///
/// Without its script all drawings are there, one after the other. The script shows one at a time.
struct LoopStrip {
    let language: Language
    /// The variants' parts of the recording.
    let takes: [(variant: String, part: Recording)]

    /// The lessons whose pages have a strip.
    static let lessons = 3...5

    /// Empty where nothing was recorded.
    var html: String {
        let strips = takes.map { strip($0.variant, LoopStep.steps(of: $0.part)) }.joined()
        guard !strips.isEmpty else { return "" }
        return "<style>\n\(Self.style)</style>\n<section class=steps>\n"
            + "<h2>\(Self.heading.text(language))</h2>\n<p>\(Self.origin.text(language))</p>\n"
            + strips + "</section>\n<script>\n{\n\(script)}\n</script>\n"
    }

    private func strip(_ variant: String, _ steps: [LoopStep]) -> String {
        guard !steps.isEmpty else { return "" }
        let title = PictureWords.title(of: variant)?.text(language) ?? ""
        let stills = steps.enumerated().map { still($0.element, $0.offset + 1, variant) }
        return "<section><h3>\(HTMLText.escaped(variant)) "
            + "<small>\(HTMLText.escaped(title))</small></h3>\n"
            + "<ol class=stills>\n\(stills.joined())</ol></section>\n"
    }

    // MARK: A drawing

    private func still(_ step: LoopStep, _ number: Int, _ variant: String) -> String {
        let source = Source(variant, step)
        let loop = Self.loops[step.loop]?.text(language) ?? ""
        let mode = step.loop == .gone ? "" : "<text x=60 y=84>\(HTMLText.escaped(step.mode))</text>"
        let waits = Self.waits(source).text(language)
        return """
            <li><svg viewBox="0 0 200 96" role=img \
            aria-label="\(HTMLText.escaped("\(loop), \(step.mode), \(waits)"))">\
            <circle class=\(step.loop.rawValue) cx=60 cy=40 r=28 />\
            <text x=60 y=44>\(loop)</text>\(mode)\(drawing(of: source))</svg>
            <p><small>\(HTMLText.milliseconds(step.time)) ms</small> \
            \(HTMLText.escaped(step.words.text(language)))</p>

            """
    }

    /// What the loop could wait for in a step. Its mode follows from the variant's code, its signal from the recording.
    private enum Source {
        case none
        case outsideMode(isSignalled: Bool)
        case inMode(isSignalled: Bool)

        init(_ variant: String, _ step: LoopStep) {
            let isOutside = variant == "defaultModeOnly" && step.mode != "default"
            self =
                variant == "noPort" || variant == "endlessLoop"
                ? .none
                : isOutside
                    ? .outsideMode(isSignalled: step.isSignalled)
                    : .inMode(isSignalled: step.isSignalled)
        }
    }

    private func drawing(of source: Source) -> String {
        switch source {
        case .none: "<text x=156 y=44>\(Self.nothing.text(language))</text>"
        case .outsideMode(let isSignalled): square("dashed", isSignalled)
        case .inMode(let isSignalled): "<path class=line d=M88,40h48 />" + square("", isSignalled)
        }
    }

    private func square(_ style: String, _ isSignalled: Bool) -> String {
        let mark = isSignalled ? "<circle class=mark cx=156 cy=40 r=7 />" : ""
        return "<rect class=\"source \(style)\" x=136 y=20 width=40 height=40 />\(mark)"
            + "<text x=156 y=84>source</text>"
    }

    private static func waits(_ source: Source) -> Words {
        switch source {
        case .none: nothing
        case .outsideMode(isSignalled: true):
            Words("a signalled source outside this mode", "一个已 signal 的 source，不在这个 mode 里")
        case .outsideMode(isSignalled: false):
            Words("a source outside this mode", "一个 source，不在这个 mode 里")
        case .inMode(isSignalled: true): Words("a signalled source", "一个已 signal 的 source")
        case .inMode(isSignalled: false): Words("a source", "一个 source")
        }
    }

    // MARK: Words

    private static let heading = Words("The run loop, step by step", "一步一步看 RunLoop")
    private static let origin = Words(
        "The steps, their order and their times are those of this run. A line joins the loop to a source "
            + "that is in its mode, a dashed source is in another mode, and a dot is the mark of a signal. "
            + "Which source is in which mode follows from the variant's code.",
        "步骤、顺序和时间都来自这次运行的记录。连线表示 source 在 RunLoop 当前的 mode 里，虚线框表示它在别的 mode 里，"
            + "圆点是 signal 留下的标记。哪个 source 在哪个 mode 里，是按各个做法的代码画的。")
    private static let nothing = Words("nothing", "什么也没有")
    private static let loops: [LoopStep.Loop: Words] = [
        .awake: Words("awake", "醒着"), .asleep: Words("asleep", "休眠"), .gone: Words("gone", "已退出"),
    ]
    private static let previous = Words("Previous step", "上一步")
    private static let next = Words("Next step", "下一步")
    private static let keys = Words("the arrow keys also move", "也可以用方向键")

    // MARK: Style and script

    private static let style = """
        .steps { margin-top: 2.5rem; }
        .steps h3 { margin: 1.5rem 0 .5rem; }
        .steps small { font: .8125rem var(--sans); color: var(--soft); }
        .stills { list-style: none; display: flex; flex-wrap: wrap; gap: .75rem; margin: 0; padding: 0; }
        .stills li { flex: 0 1 14rem; border: 1px solid var(--line); background: var(--card); padding: .5rem; }
        .stills.one li { flex-basis: 26rem; min-height: 18rem; }
        .stills p { font-size: .9375rem; }
        .stills svg { display: block; width: 100%; font: 13px var(--sans); }
        .stills text { text-anchor: middle; fill: var(--ink); }
        .stills :is(circle, rect, .line) { fill: none; stroke: var(--ink); stroke-width: 2; }
        .stills .awake { fill: color-mix(in srgb, var(--connection) 30%, var(--card)); }
        .stills :is(.gone, .dashed) { stroke-dasharray: 4 4; }
        .stills .mark { fill: var(--bad); stroke: none; }
        .stepper { display: flex; flex-wrap: wrap; gap: .5rem; align-items: center; margin: 0 0 .5rem; font: .8125rem var(--sans); }
        @media print { .stills li[hidden] { display: block; } }

        """

    private var script: String {
        """
        const text = ["\(Self.previous.text(language))", "\(Self.next.text(language))", \
        "\(Self.keys.text(language))"];
        for (const strip of document.querySelectorAll(".stills")) {
          const stills = [...strip.children];
          const bar = document.createElement("div");
          bar.className = "stepper";
          const said = document.createElement("output");
          let now = 0;
          const show = (step) => {
            now = Math.max(0, Math.min(stills.length - 1, step));
            stills.forEach((still, index) => { still.hidden = index !== now; });
            said.textContent = `${now + 1} / ${stills.length} · ${text[2]}`;
          };
          for (const [sign, name, by] of [["←", text[0], -1], ["→", text[1], 1]]) {
            const button = document.createElement("button");
            button.type = "button";
            button.textContent = sign;
            button.ariaLabel = name;
            button.addEventListener("click", () => show(now + by));
            bar.append(button);
          }
          bar.append(said);
          strip.before(bar);
          strip.classList.add("one");
          strip.tabIndex = 0;
          strip.setAttribute("aria-live", "polite");
          strip.parentElement.addEventListener("keydown", (event) => {
            const step = { ArrowLeft: now - 1, ArrowRight: now + 1, Home: 0, End: stills.length - 1 }[event.key];
            if (step === undefined) return;
            event.preventDefault();
            show(step);
          });
          show(0);
        }

        """
    }
}
