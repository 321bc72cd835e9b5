"""Looks whether every link of the built site leads to a page of it.

docc itself says which links of a text it cannot resolve. What it does not resolve without a word are the
protocols of other libraries, such as `Sendable`, which are shown as text.
"""

import json
import os
import re


def broken(site):
    """Sentences on links that lead nowhere."""
    found = []
    data = f"{site}/data"
    for folder, _, files in os.walk(data):
        for name in files:
            if not name.endswith(".json"):
                continue
            path = os.path.join(folder, name)
            with open(path, encoding="utf-8") as file:
                page = json.load(file)
            here = os.path.relpath(path, data)[:-5]
            for reference in (page.get("references") or {}).values():
                kind = reference.get("type")
                url = reference.get("url", "")
                # A chapter of tutorials has an address and no page of its own.
                if re.match(r"/tutorials/[^/]+/[^/]+$", url) and "estimatedTime" not in reference:
                    continue
                if kind in ("topic", "section", "link") and url.startswith("/"):
                    if not exists(site, url.split("#")[0]):
                        found.append(f"{here}: {url} is not there")
                for variant in reference.get("variants", []) if kind == "image" else []:
                    if not os.path.exists(site + "/" + variant["url"].lstrip("/")):
                        found.append(f"{here}: {variant['url']} is not there")
            for url in re.findall(r'"destination": ?"(/[^"]*)"', json.dumps(page)):
                if not exists(site, url.split("#")[0]):
                    found.append(f"{here}: {url} is not there")
    return sorted(set(found))


def exists(site, url):
    place = site + url
    return (
        os.path.isfile(place) or os.path.isfile(place.rstrip("/") + "/index.html")
        or os.path.isfile(f"{site}/data{url.rstrip('/')}.json"))
