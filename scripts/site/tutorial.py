"""The small port's states as tutorials, whose steps show what each state changes."""

import os
import re
import shutil

from pages import ROOT, BrokenPage

STATES = "Lessons/SmallPort"
# To be read in this order.
ORDER = [
    "Connection.swift", "Sockets.swift", "NetworkThread.swift", "OperationState.swift",
    "URLOperation.swift",
]


def rows(text):
    """The table of SmallPort.md: state, what is new, mistakes, lessons."""
    found = re.findall(
        r"^\| \[([\w-]+)\]\([^)]*\) \| (.+?) \| (.+?) \| ([\d, ]+) \|$", text, re.MULTILINE)
    folders = {name for name in os.listdir(f"{ROOT}/{STATES}") if name[0].isdigit()}
    if {row[0] for row in found} != folders:
        raise BrokenPage("Documentation/Lessons/SmallPort.md: its table is not that of the states")
    return found


def write(catalog, page, lessons, pictures, cover):
    """Writes the tutorials; lessons are articles by number, pictures file names by number."""
    states = rows(page.text)
    previous = {}
    for state, news, mistakes, numbers in states:
        steps = []
        files = sorted(
            os.listdir(f"{ROOT}/{STATES}/{state}"),
            key=lambda name: ORDER.index(name) if name in ORDER else len(ORDER))
        for file in files:
            copy = f"{state}-{file}"
            path = f"{ROOT}/{STATES}/{state}/{file}"
            shutil.copy(path, f"{catalog}/{copy}")
            with open(path, encoding="utf-8") as source:
                text = source.read()
            old = previous.get(file)
            if old and old[1] == text:
                previous[file] = (copy, text)
                continue
            before = f", previousFile: \"{old[0]}\"" if old else ", reset: true"
            what = "changes" if old else "is new"
            steps.append(
                f"            @Step {{\n                `{file}` {what}.\n\n"
                f"                @Code(name: \"{file}\", file: \"{copy}\"{before})\n            }}\n")
            previous[file] = (copy, text)
        numbers = [int(number) for number in numbers.split(",")]
        links = ", ".join(
            f"<doc:{lessons[number]}>" for number in numbers if number in lessons)
        image = next((pictures[number] for number in numbers if number in pictures), None)
        media = (
            f"\n            @Image(source: \"{image}\", alt: \"What was recorded while the lesson ran\")\n"
            if image else "")
        number, name = state.split("-", 1)
        with open(f"{catalog}/State-{state}.tutorial", "w", encoding="utf-8") as file:
            file.write(
                f"@Tutorial(time: 5) {{\n"
                f"    @Intro(title: \"{number}. {name}\") {{\n"
                f"        {news[0].upper() + news[1:]}. The mistakes of its day: {mistakes}.\n    }}\n\n"
                f"    @Section(title: \"{news[0].upper() + news[1:]}\") {{\n"
                f"        @ContentAndMedia {{\n"
                f"            The lessons about it: {links}.\n{media}        }}\n\n"
                f"        @Steps {{\n" + "\n".join(steps) + "        }\n    }\n}\n")
    references = "\n".join(
        f"        @TutorialReference(tutorial: \"doc:State-{state[0]}\")" for state in states)
    with open(f"{catalog}/SmallPort-States.tutorial", "w", encoding="utf-8") as file:
        file.write(
            "@Tutorials(name: \"The small port\") {\n"
            "    @Intro(title: \"The architecture in four hundred lines\") {\n"
            "        Eight states, each of which is compiled and run. Each step shows a file, with what"
            " changed since the state before.\n    }\n\n"
            "    @Chapter(name: \"Eight states\") {\n"
            "        From one thread that waits for all sockets to blocks that run in order, once.\n\n"
            f"        @Image(source: \"{cover}\", alt: \"What was recorded, on one time axis\")\n\n"
            f"{references}\n    }}\n}}\n")
