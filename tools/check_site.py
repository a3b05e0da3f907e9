"""Check the pages that Sphinx made: every link within the site arrives, and nothing is loaded from outside.

    python tools/check_site.py docs/_build/html

A page opened from disk, without a network, must look as it does on a server: scripts, styles, pictures and fonts
are files beside it. Links to other sites may stand in the text; they are not followed.
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LOADS = {
    "script": "src",
    "img": "src",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "audio": "src",
    "embed": "src",
}
LOADING_LINKS = {"stylesheet", "icon", "preload", "modulepreload", "shortcut"}
STYLE_ADDRESS = re.compile(r"url\(\s*['\"]?(?!data:|#)([^'\")]+)|@import\s+['\"]([^'\"]+)")


class Page(HTMLParser):
    """What a page loads, where its links lead, and which places in it have a name."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.loaded: list[str] = []
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value for name, value in attrs if value is not None}
        self.places.update(values[name] for name in ("id", "name") if name in values)
        if tag in LOADS and LOADS[tag] in values:
            self.loaded.append(values[LOADS[tag]])
        elif tag == "link" and "href" in values and LOADING_LINKS & set(values.get("rel", "").split()):
            self.loaded.append(values["href"])
        elif tag == "a" and "href" in values:
            self.links.append(values["href"])


def check(site: Path) -> list[str]:
    """A sentence for each thing that is wrong."""
    site = site.resolve()
    parts = site / "_static"  # templates of the theme lie there as well; no page is
    written = [path for path in sorted(site.rglob("*.html")) if not path.is_relative_to(parts)]
    pages = {path: Page(path.read_text(errors="replace")) for path in written}
    if not pages:
        return [f"{site} has no pages."]
    wrong = []
    for path, page in pages.items():
        name = path.relative_to(site)
        for address in page.loaded:
            problem = arrives(address, path, site, pages)
            if outside(address):
                wrong.append(f"{name} loads {address} from outside.")
            elif problem:
                wrong.append(f"{name} loads {address}, {problem}.")
        for address in page.links:
            problem = None if outside(address) else arrives(address, path, site, pages)
            if problem:
                wrong.append(f"{name} links to {address}, {problem}.")
    for path in sorted(site.rglob("*.css")):
        for match in STYLE_ADDRESS.finditer(path.read_text(errors="replace")):
            address = match[1] or match[2]
            if outside(address):
                wrong.append(f"{path.relative_to(site)} loads {address} from outside.")
    return wrong


def outside(address: str) -> bool:
    """Whether an address leads to another site, or is no place at all (mail, a script, data within the page)."""
    parts = urlsplit(address)
    return bool(parts.netloc) or parts.scheme in ("http", "https", "mailto", "javascript")


def arrives(address: str, path: Path, site: Path, pages: dict[Path, Page]) -> str | None:
    """None, or why an address within the site leads nowhere."""
    parts = urlsplit(address)
    if parts.scheme == "data":
        return None
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    if target.is_dir():
        target /= "index.html"
    if not target.is_relative_to(site):
        return "which is not in the site"
    if not target.is_file():
        return "which does not exist"
    place = unquote(parts.fragment)
    if place and target in pages and place not in pages[target].places:
        return f"where no place is called {place}"
    return None


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    wrong = check(Path(sys.argv[1]))
    for sentence in wrong[:50]:
        print(sentence)
    if len(wrong) > 50:
        print(f"... and {len(wrong) - 50} more")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
