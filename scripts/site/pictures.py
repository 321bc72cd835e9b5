"""The recorded pictures of the lessons: each experiment is run, and its page's picture made an image."""

import json
import os
import subprocess
from concurrent.futures import ThreadPoolExecutor

import browser
from pages import BrokenPage

# An SVG that holds the picture as it is on the page: text stays text, colours follow the reader's.
SCRIPT = """
const images = {};
// Rules for windows and paper are left out. An object's own text of its rules loses fonts with variables.
function plain(style) {
  let text = "", depth = 0, skips = false;
  for (const piece of style.split(/(?<=[{}])/)) {
    if (depth === 0 && piece.trimStart().startsWith("@")) skips = true;
    if (!skips) text += piece;
    depth += piece.endsWith("{") ? 1 : piece.endsWith("}") ? -1 : 0;
    if (depth === 0) skips = false;
  }
  return text;
}
for (const [number, url] of Object.entries(JOBS)) {
  const frame = document.createElement("iframe");
  frame.style = "width:760px;height:900px;border:0";
  frame.src = url;
  await new Promise((done) => { frame.onload = done; document.body.append(frame); });
  const page = frame.contentDocument;
  const canvas = page.querySelector(".canvas");
  const high = Math.ceil(canvas.getBoundingClientRect().height);
  const wide = Math.ceil(canvas.getBoundingClientRect().width);
  const style = plain(page.querySelector("style").textContent).replaceAll("&", "&amp;").replaceAll("<", "&lt;");
  images[number] = `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}" viewBox="0 0 ${wide} ${high}">`
    + `<style>${style}</style><foreignObject width="${wide}" height="${high}">`
    + `<div xmlns="http://www.w3.org/1999/xhtml" style="background: var(--card); color: var(--ink); font: 17px/1.5 var(--serif)">`
    + `${new XMLSerializer().serializeToString(canvas)}</div></foreignObject></svg>`;
  frame.remove();
}
return images;
"""


def has_marks(page):
    with open(page, encoding="utf-8") as file:
        return "<svg class=plot" in file.read()


def run(eras, folder, numbers):
    """Runs the experiments; writes a page and an image of each; returns the images' paths by number."""
    os.makedirs(folder)

    def one(number):
        page = f"{folder}/lesson-{number:02}.html"
        try:
            done = subprocess.run(
                [eras, "lesson", str(number), "--no-guess", "--language", "en", "--html", page],
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                text=True, timeout=60)
        except subprocess.TimeoutExpired:
            raise BrokenPage(f"eras lesson {number} took more than a minute") from None
        if done.returncode or not os.path.exists(page):
            raise BrokenPage(f"eras lesson {number} failed:\n{done.stdout[-2000:]}")

    with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
        list(pool.map(one, numbers))
    # Without a mark there is no picture.
    drawn = [number for number in numbers if has_marks(f"{folder}/lesson-{number:02}.html")]
    jobs = {number: f"/lesson-{number:02}.html" for number in drawn}
    images = browser.ask(folder, SCRIPT.replace("JOBS", json.dumps(jobs)))
    paths = {}
    for number, svg in images.items():
        paths[int(number)] = f"{folder}/lesson-{int(number):02}.svg"
        with open(paths[int(number)], "w", encoding="utf-8") as file:
            file.write(svg)
    return paths
