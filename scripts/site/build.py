#!/usr/bin/env python3
"""Builds the documentation site with the toolchain's docc, and looks at what was built.

  scripts/build-documentation [--output FOLDER] [--no-look]

The package must be built: the reference is made of the modules in its build folder.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import links  # noqa: E402
import look  # noqa: E402
import pictures  # noqa: E402
import tutorial  # noqa: E402
from browser import NoAnswer  # noqa: E402
from pages import ROOT, Articles, BrokenPage, all_pages  # noqa: E402
from reference import Reference, convert, table  # noqa: E402

FRONT = "Documentation/Guide/en/README.md"
CHINESE = "Documentation/Guide/zh-Hans/README.md"
# What docc says and we do not mind: not every parameter of a method is described.
USUAL = re.compile(r"Parameter '.*' is missing documentation")
REDIRECT = """<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>OperationNetworking</title>
<meta http-equiv="refresh" content="0; url=documentation/guide/"></head>
<body><h1>OperationNetworking</h1><p><a href="documentation/guide/">Documentation</a></p></body></html>
"""


START = time.monotonic()


def step(words):
    print(f"==> {time.monotonic() - START:3.0f} s: {words}", flush=True)


def discard(folder):
    """Removes a folder; its thousands of files go while the next ones are made."""
    if os.path.exists(folder):
        old = f"{folder}-old-{os.getpid()}"
        os.rename(folder, old)
        subprocess.Popen(["rm", "-rf", old])


def topics(pages, reference):
    """What lies under the front page, and under that in Chinese."""
    def names(test):
        return [page for path, page in sorted(pages.items()) if test(path)]

    def group(title, members):
        # The page of a folder before the others.
        members = sorted(members, key=lambda page: not page.path.endswith("README.md"))
        lines = "\n".join(f"- <doc:{page.name}>" for page in members)
        return f"### {title}\n\n{lines}\n\n"

    order = ["GettingStarted", "Programs", "Tasks", "CommandLine", "Troubleshooting", "Foundation"]
    english = names(lambda path: "/Guide/en/" in path and path != FRONT)
    english.sort(key=lambda page: order.index(page.name) if page.name in order else len(order))
    chinese = names(lambda path: "/Guide/zh-Hans/" in path and path != CHINESE)
    lessons = names(lambda path: "/Lessons/en/" in path)
    chinese_lessons = names(lambda path: "/Lessons/zh-Hans/" in path)
    return {
        FRONT: "\n\n## Topics\n\n" + group("Guide", english)
        + group("How it works", [
            pages["Documentation/Concurrency.md"], pages["Documentation/Lessons/SmallPort.md"]])
        + "- <doc:SmallPort-States>\n\n" + group("Lessons", lessons)
        + group("中文", [pages[CHINESE]]),
        CHINESE: "\n\n## Topics\n\n" + group("指南", chinese) + group("课程", chinese_lessons),
    }


def lesson(path):
    """The number of a lesson's page; nil for other pages."""
    number = re.search(r"/Lessons/[\w-]+/(\d+)-", path)
    return int(number.group(1)) if number else None


def with_picture(text, number, chinese):
    """The page of a lesson with its recorded picture before the explanation, its third section."""
    at = [match.start() for match in re.finditer(r"^## ", text, re.MULTILINE)][2]
    words = "记录下来的运行" if chinese else "What was recorded while the lesson ran"
    link = "整页，带表格" if chinese else "The whole page, with tables"
    return (
        f"{text[:at]}![{words}](lesson-{number:02}.svg)\n\n"
        f"[{link}](/pictures/lesson-{number:02}.html)\n\n{text[at:]}")


def guide(work, pages, reference, images):
    """Builds the archive of the guide; returns docc's diagnostics."""
    catalog = f"{work}/catalogs/Guide.docc"
    os.makedirs(catalog)
    articles = Articles(pages, reference.symbols())
    below = topics(pages, reference)
    lessons = {}
    for path, page in pages.items():
        text = articles.article(page)
        number = lesson(path)
        if number and "/en/" in path:
            lessons[number] = page.name
        if number in images:
            text = with_picture(text, number, chinese="/zh-Hans/" in path)
        if path == FRONT:
            text = text.replace("\n", "\n\n@Metadata {\n    @TechnologyRoot\n}\n", 1)
        text += below.get(path, "")
        with open(f"{catalog}/{page.name}.md", "w", encoding="utf-8") as file:
            file.write(text)
    for image in images.values():
        shutil.copy(image, catalog)
    for image in articles.images:
        shutil.copy(os.path.join(ROOT, image), catalog)
    tutorial.write(
        catalog, pages["Documentation/Lessons/SmallPort.md"], lessons,
        {number: os.path.basename(image) for number, image in images.items()}, "comparison.png")
    dependencies = [
        word for product in reference.modules
        for word in ("--dependency", reference.archive(product))]
    return convert(catalog, f"{work}/Guide.doccarchive", "Guide", *dependencies)


def describe(diagnostics):
    """Sentences on what docc minds."""
    found = []
    for diagnostic in diagnostics:
        if USUAL.search(diagnostic["summary"]):
            continue
        source = os.path.basename(diagnostic.get("source") or "")
        line = (diagnostic.get("range") or {}).get("start", {}).get("line", "")
        found.append(f"{source}:{line}: {diagnostic['summary']}")
    return found


def watched(site, pages, modules):
    """The addresses that are looked at: all of the guide, and the front of each module."""
    urls = ["/", "/documentation/", "/comparison.html"]
    urls += [f"/pictures/{name}" for name in sorted(os.listdir(f"{site}/pictures"))]
    urls += [f"/documentation/guide/{page.name.lower()}/" for page in pages.values()
             if page.path != FRONT] + ["/documentation/guide/", "/tutorials/smallport-states/"]
    urls += [f"/tutorials/guide/{name}/" for name in sorted(os.listdir(f"{site}/tutorials/guide"))]
    for module in modules:
        folder = f"{site}/documentation/{module.lower()}"
        urls.append(f"/documentation/{module.lower()}/")
        # The pages with the longest names are those that could be too wide.
        names = [name for name in os.listdir(folder) if os.path.isdir(f"{folder}/{name}")]
        longest = sorted(names, key=lambda name: (-len(name), name))[:2]
        urls += [f"/documentation/{module.lower()}/{name}/" for name in longest]
    return [url for url in urls if links.exists(site, url)]


def fit(site):
    """docc's tutorials give code half of the window and a twelfth, with the scroll bar's width in it."""
    for path in glob.glob(f"{site}/css/topic.*.css"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        text = text.replace("calc(50vw + 8.33333%)", "calc(50vw + 8.33333% - 8px)")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--output", default=f"{ROOT}/.build/documentation")
    parser.add_argument("--scratch", default=f"{ROOT}/.build", help="the folder of the build")
    parser.add_argument("--no-look", action="store_true", help="do not open it in Chromium")
    options = parser.parse_args()
    os.chdir(ROOT)
    binaries = os.path.realpath(f"{options.scratch}/debug")
    if not os.path.exists(f"{binaries}/eras"):
        raise BrokenPage("The package is not built: run swift build first")
    work = f"{ROOT}/.build/documentation-parts"
    discard(work)
    os.makedirs(f"{work}/graphs")
    pages = all_pages()
    # A page whose links lead nowhere is told before anything is built.
    for page in pages.values():
        Articles(pages, {}).article(page)
    # It waits more than it works.
    comparison = subprocess.Popen(
        [f"{binaries}/eras", "compare", "-q", "--runs", "1", "--html", f"{work}/comparison.html"],
        stdout=subprocess.DEVNULL)

    step("Building the reference of every product")
    reference = Reference(work, binaries, table(pages[FRONT].text))
    diagnostics = reference.build()
    step("Running the lessons' experiments, for their pictures")
    numbers = sorted({lesson(path) for path in pages} - {None})
    images = pictures.run(f"{binaries}/eras", f"{work}/pictures", numbers)
    step("Building the guide, the lessons and the tutorials")
    diagnostics += guide(work, pages, reference, images)
    faults = describe(diagnostics)

    step("Joining them")
    site = options.output
    discard(site)
    archives = [f"{work}/Guide.doccarchive"]
    archives += [reference.archive(product) for product in sorted(reference.modules)]
    subprocess.run(
        ["docc", "merge", *archives, "--synthesized-landing-page-name", "OperationNetworking",
         "--synthesized-landing-page-topics-style", "list", "--output-path", site], check=True)
    fit(site)
    with open(f"{site}/index.html", "w", encoding="utf-8") as file:
        file.write(REDIRECT)
    os.makedirs(f"{site}/pictures")
    for page in glob.glob(f"{work}/pictures/*.html"):
        shutil.copy(page, f"{site}/pictures")
    if comparison.wait() != 0:
        faults.append("eras compare failed")
    else:
        shutil.copy(f"{work}/comparison.html", site)

    faults += links.broken(site)
    if not options.no_look:
        urls = watched(site, pages, reference.modules.values())
        step(f"Looking at {len(urls)} pages, 1280 and 400 px wide")
        faults += look.faults(site, urls)
    for fault in faults:
        print(fault, file=sys.stderr)
    if faults:
        print(f"{len(faults)} faults", file=sys.stderr)
        return 1
    step(f"Done. To read it: python3 -m http.server -d {os.path.relpath(site)}")
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (BrokenPage, NoAnswer) as error:
        sys.exit(str(error))
