#!/usr/bin/env python3
"""Fails if a document links to a file, or to a heading of a document, that does not exist. Does not check links to other hosts."""
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
CODE = re.compile(r"```.*?```|`[^`\n]*`", re.DOTALL)


def anchors(path):
    """The anchors of a document's headings, as code hosts form them: "Two commands" is #two-commands."""
    headings = re.findall(r"^#+ +(.+)$", re.sub(r"```.*?```", "", path.read_text(encoding="utf-8"), flags=re.DOTALL), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).strip().replace(" ", "-") for heading in headings}


def main():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    count = bad = 0
    for name in sorted(listed.stdout.split()):
        path = ROOT / name
        for target in LINK.findall(CODE.sub("", path.read_text(encoding="utf-8"))):
            if re.match(r"[a-z]+:", target):
                continue
            count += 1
            file, _, anchor = target.partition("#")
            to = (path.parent / file).resolve() if file else path
            if not to.exists() or (anchor and to.suffix == ".md" and anchor not in anchors(to)):
                print(f"{name}: there is no {target}")
                bad += 1
    print(f"check_links: {count} links, {bad} dead")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
