"""Which pages the site has, and how a page of the repository becomes an article of docc.

A page is written for readers of the repository: relative links to other files. In the site a link to
another page leads to that page, a link to a heading to that heading, and a link to any other file of
the repository becomes its path. A link that leads nowhere is an error.
"""

import os
import re
from dataclasses import dataclass, field

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


class BrokenPage(Exception):
    """What is wrong with a page, in one line."""


@dataclass
class Page:
    # From the package's folder on.
    path: str
    # The name of the article, which is a part of its address.
    name: str
    text: str = ""
    headings: list = field(default_factory=list)

    def load(self):
        with open(os.path.join(ROOT, self.path), encoding="utf-8") as file:
            self.text = file.read()
        self.headings = [
            line.lstrip("#").strip() for line in outside_code(self.text) if re.match(r"#+ ", line)]
        if not self.headings:
            raise BrokenPage(f"{self.path}: no title")
        return self

    @property
    def title(self):
        return self.headings[0]


def outside_code(text):
    """The lines that are not in a block of code."""
    inside = False
    for line in text.split("\n"):
        if line.lstrip().startswith("```"):
            inside = not inside
        elif not inside:
            yield line


def slug(heading):
    """A heading's anchor as the hosts of repositories make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower().strip()).replace(" ", "-")


def all_pages():
    """The guide and the lessons in both languages, and what they are about, by path."""
    pages = []
    for language, suffix in [("en", ""), ("zh-Hans", "-zh-Hans")]:
        for folder, prefix in [("Guide", ""), ("Lessons", "Lesson-")]:
            place = f"Documentation/{folder}/{language}"
            for file in sorted(os.listdir(os.path.join(ROOT, place))):
                if not file.endswith(".md"):
                    continue
                name = file[:-3]
                if name == "README":
                    name = {"Guide": "Guide", "Lessons": "Lessons"}[folder]
                else:
                    name = prefix + name
                pages.append(Page(f"{place}/{file}", name + suffix))
    pages.append(Page("Documentation/Concurrency.md", "Concurrency"))
    pages.append(Page("Documentation/Lessons/SmallPort.md", "SmallPort"))
    return {page.path: page.load() for page in pages}


LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


class Articles:
    """Turns pages into articles; symbols are names of types with their addresses."""

    def __init__(self, pages, symbols):
        self.pages = pages
        self.symbols = symbols
        self.images = set()

    def article(self, page):
        """The text for docc."""
        inside, lines, seen, previous = False, [], set(), ""
        for number, line in enumerate(page.text.split("\n"), 1):
            if line.lstrip().startswith("```"):
                inside = not inside
            elif not inside:
                if line.startswith("<!--"):
                    continue
                # The number of a statement, behind what is said of an original.
                line = re.sub(r" *<!-- .*? -->", "", line)
                # What a page folds up, docc shows.
                line = re.sub(r"<summary>(.*?)</summary>", r"*\1* ", line)
                line = re.sub(r"</?details>", "", line)
                self._section(line, seen)
                line = LINK.sub(lambda match: self._link(page, number, match), line)
                if not line.startswith("#"):
                    line = self._symbols(line, seen)
            if not (line == "" and previous == ""):
                lines.append(line)
            previous = line
        return "\n".join(lines)

    @staticmethod
    def _section(line, seen):
        # A name is linked once in a section.
        if line.startswith("## "):
            seen.clear()

    def _symbols(self, line, seen):
        def one(match):
            name = match.group(1)
            if name not in self.symbols or name in seen:
                return match.group(0)
            seen.add(name)
            return f"[`{name}`]({self.symbols[name]})"

        # Not inside the text of a link.
        parts = re.split(r"(\[[^\]]*\]\([^)]*\))", line)
        return "".join(
            part if index % 2 else re.sub(r"(?<!`)`([A-Z]\w+)`(?!`)", one, part)
            for index, part in enumerate(parts))

    def _link(self, page, number, match):
        image, text, target = match.groups()
        place = f"{page.path}:{number}"
        if re.match(r"[a-z]+:", target):
            return match.group(0)
        path, _, anchor = target.partition("#")
        full = page.path
        if path:
            full = os.path.normpath(os.path.join(os.path.dirname(page.path), path))
        if not os.path.exists(os.path.join(ROOT, full)):
            raise BrokenPage(f"{place}: {target} is not there")
        if image:
            self.images.add(full)
            return f"![{text}]({os.path.basename(full)})"
        other = self.pages.get(full)
        if other is None and anchor and full.endswith(".md"):
            stranger = Page(full, "").load()
            names = [slug(heading) for heading in stranger.headings]
            if anchor not in names and f'<a id="{anchor}">' not in stranger.text:
                raise BrokenPage(f"{place}: {full} has no heading #{anchor}")
        if other is None:
            plain = text.strip("`")
            return text if plain in (full, os.path.basename(full)) else f"{text} (`{full}`)"
        if not anchor:
            return f"[{text}](doc:{other.name})"
        for heading in other.headings:
            if slug(heading) == anchor:
                fragment = re.sub(r"\s+", "-", heading.replace("`", ""))
                return f"[{text}](doc:{other.name}#{fragment})"
        raise BrokenPage(f"{place}: {full} has no heading #{anchor}")
