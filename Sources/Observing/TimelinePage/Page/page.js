(() => {
  "use strict";
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];
  const say = (text) => words[text] ?? text;
  const reading = document.getElementById("reading");

  // A strip's n-th mark is its table's n-th line.
  const strips = all(".scenario").flatMap((scenario) => {
    const tables = all("table.marks", scenario);
    return all("svg.plot", scenario).map((svg, index) => ({
      svg, scenario,
      era: svg.closest(".era"),
      canvas: svg.closest(".canvas"),
      rows: tables[index] ? [...tables[index].tBodies[0].rows] : [],
      marks: null, current: -1,
    }));
  });

  // Where the marks are: x in thousandths of the axis, y in pixels.
  const marksOf = (strip) => strip.marks ??= all(":scope > path", strip.svg).map((path, index) => {
    // "M x,y h width v height …" is a bar, "M x,y h0" a dot.
    const [x, y, width = 0, height = 0] = path.getAttribute("d").match(/-?[\d.]+/g).map(Number);
    const cells = strip.rows[index] ? [...strip.rows[index].cells].map((cell) => cell.textContent.trim()) : [];
    const [from = "", to = "", kind = "", what = "", whose = ""] = cells;
    const words = `${kind} ${what} ${whose}`.toLowerCase();
    return { path, x, y, width, height, isDot: height === 0, from, to, kind, what, whose, words, row: strip.rows[index] };
  });

  // MARK: Reading one mark

  let read = null;
  const cross = document.createElement("div");
  cross.className = "cross";

  function close() {
    if (!read) return;
    reading.hidden = true;
    cross.remove();
    for (const other of strips) {
      if (other.scenario === read.strip.scenario) {
        for (const mark of other.marks ?? []) mark.path.classList.remove("read");
      }
    }
    read = null;
  }

  function open(strip, index) {
    const mark = marksOf(strip)[index];
    if (!mark) return;
    if (read && read.mark === mark) return;
    close();
    read = { strip, mark };
    strip.current = index;
    // Whatever belongs to the same operation, task or socket in this era.
    for (const other of strips) {
      if (other.era !== strip.era) continue;
      for (const candidate of marksOf(other)) {
        if (candidate === mark || (mark.whose && candidate.whose === mark.whose)) {
          candidate.path.classList.add("read");
        }
      }
    }
    const title = document.createElement("b");
    title.textContent = mark.what ? `${mark.kind}: ${mark.what}` : mark.kind;
    const lasted = mark.to === "" ? "" : `${say(" to ")}${mark.to} ms, ${(mark.to - mark.from).toFixed(3)}${say(" ms long")}`;
    reading.replaceChildren(title, `${mark.from} ms${lasted}${mark.whose ? `, ${mark.whose}` : ""}`);
    reading.hidden = false;
    const box = strip.svg.getBoundingClientRect();
    const left = box.left + (mark.x + (mark.isDot ? 0 : Math.min(mark.width, 20))) / 1000 * box.width;
    place(left, box.top + mark.y);
    strip.canvas.append(cross);
    cross.style.left = `${box.left + mark.x / 1000 * box.width - strip.canvas.getBoundingClientRect().left}px`;
  }

  function place(left, top) {
    const { offsetWidth: width, offsetHeight: height } = reading;
    const x = Math.max(8, Math.min(left + 12, document.documentElement.clientWidth - width - 8));
    reading.style.left = `${x}px`;
    reading.style.top = `${top - height - 12 < 8 ? top + 24 : top - height - 12}px`;
  }

  // The mark nearest to the pointer, the innermost where several lie over each other.
  function nearest(strip, event) {
    const box = strip.svg.getBoundingClientRect();
    const [px, py] = [event.clientX - box.left, event.clientY - box.top];
    let [best, least] = [-1, 14];
    marksOf(strip).forEach((mark, index) => {
      if (mark.path.classList.contains("quiet")) return;
      const [left, right] = [mark.x / 1000 * box.width, (mark.x + (mark.isDot ? 0 : mark.width)) / 1000 * box.width];
      const dx = Math.max(left - px, px - right, 0);
      const dy = mark.isDot ? Math.abs(py - mark.y) : Math.max(mark.y - py, py - mark.y - mark.height, 0);
      const distance = Math.hypot(dx, dy) - (mark.isDot ? 4 : 0);
      if (distance <= least) [best, least] = [index, distance];
    });
    return best;
  }

  for (const strip of strips) {
    const { svg } = strip;
    const follow = (event) => {
      const index = nearest(strip, event);
      if (index < 0) close(); else open(strip, index);
    };
    svg.addEventListener("pointermove", follow);
    svg.addEventListener("pointerdown", follow);
    svg.addEventListener("pointerleave", close);
    svg.addEventListener("blur", close);
    svg.addEventListener("keydown", (event) => {
      const shown = marksOf(strip).map((mark, index) => [mark, index]).filter(([mark]) => !mark.path.classList.contains("quiet")).map(([, index]) => index);
      const at = shown.indexOf(strip.current);
      const next = { ArrowRight: Math.min(at + 1, shown.length - 1), ArrowLeft: Math.max(at - 1, 0), Home: 0, End: shown.length - 1 }[event.key];
      if (event.key === "Escape") close();
      if (next === undefined || shown.length === 0) return;
      event.preventDefault();
      open(strip, shown[next]);
    });
  }
  addEventListener("scroll", close, { passive: true, capture: true });

  // MARK: Filter, scenario, zoom, theme

  const filter = document.getElementById("filter");
  const matches = document.getElementById("matches");
  function applyFilter() {
    const words = filter.value.toLowerCase().split(",").map((word) => word.trim()).filter(Boolean);
    let [found, total] = [0, 0];
    for (const strip of strips) {
      for (const mark of marksOf(strip)) {
        const fits = words.every((word) => mark.words.includes(word));
        mark.path.classList.toggle("quiet", !fits);
        if (mark.row) mark.row.hidden = !fits;
        if (!strip.scenario.hidden) { total += 1; found += fits ? 1 : 0; }
      }
    }
    matches.textContent = words.length ? `${found}${say(" of ")}${total}${say(" marks")}` : "";
  }
  let waiting = 0;
  filter?.addEventListener("input", () => { close(); clearTimeout(waiting); waiting = setTimeout(applyFilter, 120); });

  const picker = document.getElementById("picker");
  function pick(id) {
    for (const scenario of all(".scenario")) scenario.hidden = id !== "" && scenario.id !== id;
    if (picker && picker.value !== id) picker.value = id;
    if (filter?.value) applyFilter();
  }
  picker?.addEventListener("change", () => pick(picker.value));
  // A link to a scenario that is not shown shows all again.
  addEventListener("hashchange", () => {
    const target = document.getElementById(location.hash.slice(1));
    if (target?.hidden) { pick(""); target.scrollIntoView(); }
  });

  const zooms = [1, 2, 4, 8, 16];
  for (const chart of all(".chart")) {
    const [canvas, scroll] = [chart.querySelector(".canvas"), chart.querySelector(".scroll")];
    let at = 0;
    const bar = document.createElement("div");
    bar.className = "zoom";
    const buttons = [["Narrower", -1], ["Wider", 1]].map(([text, step]) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = say(text);
      button.addEventListener("click", () => {
        const middle = (scroll.scrollLeft + scroll.clientWidth / 2) / scroll.scrollWidth;
        at = Math.max(0, Math.min(zooms.length - 1, at + step));
        canvas.style.setProperty("--zoom", zooms[at]);
        scroll.scrollLeft = middle * scroll.scrollWidth - scroll.clientWidth / 2;
        scroll.tabIndex = at > 0 ? 0 : -1;
        show();
      });
      return button;
    });
    const show = () => { buttons[0].disabled = at === 0; buttons[1].disabled = at === zooms.length - 1; };
    show();
    bar.append(...buttons);
    chart.prepend(bar);
  }

  const theme = document.getElementById("theme");
  const preference = matchMedia("(prefers-color-scheme: dark)");
  const isDark = () => (document.documentElement.dataset.theme ?? (preference.matches ? "dark" : "light")) === "dark";
  const nameTheme = () => { theme.textContent = say(isDark() ? "Light" : "Dark"); };
  theme.addEventListener("click", () => { document.documentElement.dataset.theme = isDark() ? "light" : "dark"; nameTheme(); });
  preference.addEventListener("change", nameTheme);
  nameTheme();

  // On a narrow screen the first picture comes first; a tap unfolds what stands before it.
  if (matchMedia("(max-width: 44rem)").matches) {
    for (const details of all("details.fold")) details.open = false;
  }

  // On paper nothing can be unfolded: outcomes are shown, and tables as the reader left them.
  let unfolded = [];
  addEventListener("beforeprint", () => {
    unfolded = all("details.outcomes:not([open]), details.fold:not([open])");
    for (const details of unfolded) details.open = true;
  });
  addEventListener("afterprint", () => { for (const details of unfolded) details.open = false; });

  document.querySelector(".controls").hidden = false;
  document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
})();
