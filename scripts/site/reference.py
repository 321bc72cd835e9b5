"""The reference: a symbol graph and an archive of docc for each module of a product."""

import glob
import json
import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor

from pages import ROOT, BrokenPage

# Modules that products export again.
EXPORTED = ["HTTPSemantics", "SessionTasks"]


def modules():
    """The modules of the library products, in the manifest's order, by the product's name."""
    with open(os.path.join(ROOT, "Package.swift"), encoding="utf-8") as file:
        products = re.findall(r'\.library\(name: "(\w+)", targets: \["(\w+)"\]\)', file.read())
    return dict(products) | {name: name for name in EXPORTED}


def table(text):
    """The rows "| `Name` | words |" of a page, by name."""
    return {
        name: words.strip()
        for name, words in re.findall(r"^\| `(\w+)` \| (.+?) \|$", text, re.MULTILINE)}


class Reference:
    def __init__(self, work, binaries, described):
        self.work = work
        self.binaries = binaries
        self.modules = modules()
        self.described = described
        for product in self.modules:
            if product not in described:
                raise BrokenPage(f"Documentation/Guide/en/README.md does not describe {product}")

    def build(self):
        """Builds all archives; returns docc's diagnostics."""
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 2) as pool:
            found = list(pool.map(self._module, self.modules.items()))
        return [diagnostic for part in found for diagnostic in part]

    def archive(self, product):
        return f"{self.work}/{self.modules[product]}.doccarchive"

    def _module(self, item):
        product, module = item
        graphs = f"{self.work}/graphs/{module}"
        os.makedirs(graphs)
        maps = glob.glob(f"{ROOT}/Sources/*/*/module.modulemap")
        maps += glob.glob(f"{self.binaries}/*.build/module.modulemap")
        options = [word for path in maps for word in ("-Xcc", f"-fmodule-map-file={path}")]
        subprocess.run(
            ["swift", "symbolgraph-extract", "-module-name", module, "-target", self._target(),
             "-I", f"{self.binaries}/Modules", *options, "-output-dir", graphs,
             "-minimum-access-level", "public", "-skip-inherited-docs",
             "-skip-synthesized-members"], check=True)
        catalog = f"{self.work}/catalogs/{module}.docc"
        os.makedirs(catalog)
        with open(f"{catalog}/{module}.md", "w", encoding="utf-8") as file:
            file.write(f"# ``{module}``\n\n")
            if product != module:
                file.write(f"@Metadata {{\n    @DisplayName(\"{product}\")\n}}\n\n")
            words = self.described[product]
            file.write(words[0].upper() + words[1:].rstrip(".") + ".\n")
        return convert(
            catalog, self.archive(product), module, "--additional-symbol-graph-dir", graphs,
            "--fallback-default-module-kind", "Library")

    def _target(self):
        # .build/x86_64-unknown-linux-gnu/debug
        return os.path.basename(os.path.dirname(os.path.realpath(self.binaries)))

    def symbols(self):
        """The addresses of all types that have a name of their own, by name."""
        found, doubtful = {}, set()
        for product, module in self.modules.items():
            if module in ("AFNetworking", "Alamofire"):
                continue
            with open(
                f"{self.work}/graphs/{module}/{module}.symbols.json", encoding="utf-8") as file:
                for symbol in json.load(file)["symbols"]:
                    path = symbol["pathComponents"]
                    kind = symbol["kind"]["identifier"]
                    if len(path) != 1 or kind not in (
                        "swift.class", "swift.struct", "swift.enum", "swift.protocol"):
                        continue
                    if path[0] in found:
                        doubtful.add(path[0])
                    found[path[0]] = f"doc:/{module}/{path[0]}"
        return {name: url for name, url in found.items() if name not in doubtful}


def convert(catalog, archive, name, *options):
    """Runs docc; returns its diagnostics."""
    diagnostics = archive + ".json"
    done = subprocess.run(
        ["docc", "convert", catalog, "--fallback-display-name", name,
         "--fallback-bundle-identifier", name, "--output-path", archive,
         "--enable-experimental-external-link-support", "--diagnostics-file", diagnostics,
         "--default-code-listing-language", "swift", *options],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        raise BrokenPage(f"docc could not build {name}:\n{done.stdout}")
    with open(diagnostics, encoding="utf-8") as file:
        return json.load(file)["diagnostics"]
