# SPDX-License-Identifier: BSD-3-Clause
"""site_pages.py SITE: what a reader of the site meets. Prints each mistake: links and pictures without a file or an
anchor, links to another host's scripts, examples and interfaces without a section, descriptions without colours.

site_pages.py SITE --look writes SITE/look.html, a page that opens all others in frames of 1280 and 390 pixels and lists
what is wider than the frame, and pictures that are not drawn.
"""

import html.parser
import json
import pathlib
import re
import sys
import urllib.parse

ROOT = pathlib.Path(__file__).resolve().parents[2]
LOOK = """<!doctype html><body><script>
(async () => {
    const said = [];
    for (const name of NAMES) for (const width of [1280, 390]) {
        const frame = document.createElement('iframe');
        frame.style = `border: 0; height: 900px; width: ${width}px`;
        frame.src = name;
        document.body.append(frame);
        await new Promise(done => frame.onload = done);
        await new Promise(done => setTimeout(done, 30));
        const page = frame.contentDocument, room = page.documentElement.clientWidth;
        const wider = page.documentElement.scrollWidth - room;
        if (wider > 0) said.push(`${name}: ${wider} pixels wider than ${width}`);
        if (!page.querySelector('h1') || page.querySelector('h1').getBoundingClientRect().width < 100)
            said.push(`${name}: no title to be seen at ${width}`);
        for (const box of page.querySelectorAll('article *')) {
            const style = page.defaultView.getComputedStyle(box);
            if (['hidden', 'clip'].includes(style.overflowX) && box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 1)
                said.push(`${name}: cut at ${width}: ${box.textContent.slice(0, 40)}`);
        }
        const first = /^(index|c|python|docs.tutorial|docs.install)\\.html$/.test(name); // long lines elsewhere are scrolled
        for (const code of page.querySelectorAll('pre > code'))
            if (first && width === 1280 && code.scrollWidth > code.clientWidth + 1)
                said.push(`${name}: code wider than ${width}: ${code.textContent.slice(0, 40)}`);
        for (const picture of page.images)
            if (picture.complete && !picture.naturalWidth) said.push(`${name}: not drawn: ${picture.src}`);
        frame.remove();
    }
    document.body.innerHTML = '<pre></pre>';
    document.body.firstChild.textContent = [...said, 'looked at NUMBER pages'].join('\\n');
})();
</script>
"""


class Page(html.parser.HTMLParser):
    def __init__(self, path):
        super().__init__()
        self.links, self.places, self.path = [], set(), path
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        for key, value in attributes:
            if key in ("href", "src") and value:
                self.links.append((tag, value))
            elif key in ("id", "name") and value:
                self.places.add(value)


def dead_links(site, pages):
    for page in pages.values():
        for tag, link in page.links:
            address = urllib.parse.urlsplit(link)
            if address.scheme or address.netloc:
                if tag != "a" and address.scheme != "data":
                    yield f"{page.path}: {tag} of another host: {link}"
                continue
            target = (page.path.parent / urllib.parse.unquote(address.path)).resolve() if address.path else page.path
            if not target.is_file():
                yield f"{page.path}: no file {link}"
            elif address.fragment and target in pages and address.fragment not in pages[target].places:
                yield f"{page.path}: no place {link}"


def missing_sections(site, pages):
    examples = [path.stem for path in sorted(ROOT.glob("examples/*/*.pav"))]
    interfaces = ["programsource", "doctor", "gradientprogram", "runprogram", "sweepprogram"]
    for page, wanted in (("examples.html", examples), ("docs/gallery.html", examples), ("python.html", interfaces)):
        places = pages[(site / page).resolve()].places
        yield from (f"{page}: no section {name}" for name in wanted if not any(p.startswith(name) for p in places))
    listed = (site / "examples/files.html").read_text()
    yield from (f"examples/files.html: no {name}" for name in examples if f"{name}.pav" not in listed)


def colours(site):
    for name, word in (("docs/language.html", "field"), ("docs/tutorial.html", "grid"), ("examples.html", "border")):
        if not re.search(rf'<span class="k">{word}</span>', (site / name).read_text()):
            yield f"{name}: '{word}' of a description has no colour"
    for name in ("c.html", "python.html"):
        if '<span class="' not in (site / name).read_text():
            yield f"{name}: code has no colours"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    paths = sorted(path for path in site.rglob("*.html") if path.name not in ("404.html", "look.html"))
    if sys.argv[2:] == ["--look"]:
        names = [str(path.relative_to(site)) for path in paths]
        (site / "look.html").write_text(LOOK.replace("NAMES", json.dumps(names)).replace("NUMBER", str(len(names))))
        return
    pages = {path.resolve(): Page(path.resolve()) for path in paths}
    mistakes = [*dead_links(site, pages), *missing_sections(site, pages), *colours(site)]
    if "cavity" not in (site / "search/search_index.json").read_text():
        mistakes.append("the search does not find 'cavity'")
    print(*mistakes, f"{len(pages)} pages", sep="\n")
    sys.exit(bool(mistakes))


main()
