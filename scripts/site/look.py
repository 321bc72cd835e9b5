"""Looks at the built site: no page is wider than its window, none is empty."""

import json

import browser

WIDTHS = [1280, 400]

SCRIPT = """
const jobs = JOBS, widths = WIDTHS, answers = [];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));
async function settle(frame) {
  let last = "", calm = 0;
  for (let turn = 0; turn < 200 && calm < 2; turn += 1) {
    await pause(40);
    const page = frame.contentDocument;
    if (!page || page.readyState !== "complete") continue;
    const title = page.querySelector("h1, .title")?.textContent.trim();
    const size = `${page.documentElement.textContent.length} ${page.documentElement.scrollHeight}`;
    calm = title && size === last ? calm + 1 : 0;
    last = size;
  }
}
async function look(url) {
  const frame = document.createElement("iframe");
  frame.style = `width:${widths[0]}px;height:900px;border:0`;
  frame.src = url;
  document.body.append(frame);
  for (const width of widths) {
    frame.style.width = `${width}px`;
    await settle(frame);
    const page = frame.contentDocument, root = page.documentElement;
    const over = root.scrollWidth - root.clientWidth;
    const wide = over <= 0 ? [] : [...page.querySelectorAll("body *")]
      .filter((e) => e.getBoundingClientRect().right > root.clientWidth + 1).slice(0, 3)
      .map((e) => `${e.tagName.toLowerCase()}.${e.className}: ${e.textContent.trim().slice(0, 60)}`);
    answers.push({ url, width, over, wide, title: page.querySelector("h1, .title")?.textContent.trim() ?? "" });
  }
  frame.remove();
}
async function work() { while (jobs.length) await look(jobs.shift()); }
await Promise.all(Array.from({ length: LANES }, work));
return answers;
"""


def faults(site, urls):
    """Sentences on pages that are too wide, empty or not there."""
    script = SCRIPT.replace("JOBS", json.dumps(urls)).replace("WIDTHS", json.dumps(WIDTHS))
    found = []
    for answer in browser.ask(site, script.replace("LANES", str(browser.lanes()))):
        place = f"{answer['url']} at {answer['width']} px"
        if answer["over"] > 0:
            found.append(f"{place}: {answer['over']} px too wide: {'; '.join(answer['wide'])}")
        if not answer["title"]:
            found.append(f"{place}: no title was shown")
        if "can’t be found" in answer["title"]:
            found.append(f"{place}: {answer['title']}")
    return found
