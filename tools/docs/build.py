#!/usr/bin/env python3
"""Builds the site into build/docs/site: the documents by MkDocs, the reference of the public API by Doxygen.

    build.py [--no-reference]        `./dev docs` installs what it needs and runs it

Fails if a link to a page, a file or a heading is broken, if a page would load something from another host, if Doxygen warns, or if a
public class, function or option field has no comment (tools/check_docstrings.py).
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / "build" / "docs"
LINK = re.compile(r"(!?\[[^\]]*\]\()([^)\s]+)(\))")
CODE = re.compile(r"(```.*?^ *```|`[^`\n]*`)", re.DOTALL | re.MULTILINE)
LOADED = re.compile(r"""<(?:script|img|iframe|source)\b[^>]*?\ssrc=["']?(?:https?:)?//[^"' >]+|<link\b[^>]*?\shref=["']?(?:https?:)?//[^"' >]+""")
REFERENCE = """# Reference

[The reference](reference/index.html) has every public class, function and option.
"""


def documents():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", "*.md"], cwd=ROOT, capture_output=True, text=True, check=True)
    return sorted(name for name in listed.stdout.split() if re.fullmatch(r"[A-Z_]+\.md|docs/.*\.md|benchmarks/[A-Z]+\.md", name))


def page_of(name):
    return "index.md" if name == "README.md" else name


def write_pages(names):
    """Copies the documents, and the files they link to, to where MkDocs looks for them. A link to a folder becomes text."""
    pages = OUT / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    for name in names:
        source = ROOT / name

        def linked(match, source=source):
            target = match.group(2)
            file, mark, anchor = target.partition("#")
            if re.match(r"[a-z]+:", target) or not file:
                return match.group(0)
            to = (source.parent / file).resolve()
            inside = to.relative_to(ROOT).as_posix()
            if inside in names:
                up = "../" * (len(source.relative_to(ROOT).parts) - 1)
                return match.group(1) + up + page_of(inside) + mark + anchor + match.group(3)
            if to.is_file():
                copy = pages / (inside + ".txt" if to.suffix in ("", ".md") else inside)
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(to, copy)
                return match.group(1) + file + (".txt" if to.suffix in ("", ".md") else "") + match.group(3)
            return match.group(1).strip("![](") if to.is_dir() else match.group(0)

        parts = CODE.split(source.read_text(encoding="utf-8"))
        parts[0::2] = [LINK.sub(linked, part) for part in parts[0::2]]
        page = pages / page_of(name)
        page.parent.mkdir(parents=True, exist_ok=True)
        page.write_text(re.sub(r"^```text output.*$|^```cpp .*$", lambda m: "```text" if "text" in m.group(0) else "```cpp",
                               "".join(parts).replace("\n<!-- continued -->\n", "\n"), flags=re.MULTILINE), encoding="utf-8")
    (pages / "reference.md").write_text(REFERENCE, encoding="utf-8")


def check_loads():
    bad = 0
    for page in (OUT / "site").rglob("*.html"):
        for found in LOADED.findall(page.read_text(encoding="utf-8", errors="replace")):
            if 'rel="canonical"' not in found:
                print(f"{page.relative_to(OUT)}: loads from another host: {found}")
                bad += 1
    return bad


def main(arguments):
    names = documents()
    write_pages(names)
    shutil.copyfile(HERE / "mkdocs.yml", OUT / "mkdocs.yml")
    with_reference = "--no-reference" not in arguments
    if with_reference:
        # A placeholder, so that MkDocs finds the page it links to; Doxygen writes the real page afterwards.
        (OUT / "pages" / "reference").mkdir()
        (OUT / "pages" / "reference" / "index.html").write_text("", encoding="utf-8")
    else:
        (OUT / "pages" / "reference.md").write_text("# Reference\n\nNot built.\n", encoding="utf-8")
    # (With --quiet, strict mode would not see the warnings for which it must fail.)
    done = subprocess.run([sys.executable, "-m", "mkdocs", "build", "--clean", "--config-file", OUT / "mkdocs.yml"], capture_output=True,
                          text=True, env={**os.environ, "NO_MKDOCS_2_WARNING": "1"}, check=False)
    if done.returncode != 0:
        print(done.stdout + done.stderr, file=sys.stderr)
        return done.returncode
    bad = 0
    if with_reference:
        subprocess.run(["doxygen", HERE / "Doxyfile"], cwd=ROOT, check=True)
        log = (OUT / "doxygen.log").read_text(encoding="utf-8")
        if log:
            print(log)
            print(f"docs: {len(log.splitlines())} warnings of Doxygen")
            bad += 1
        bad += subprocess.run([sys.executable, ROOT / "tools" / "check_docstrings.py"], check=False).returncode
    bad += check_loads()
    print(f"docs: {len(names)} documents, {sum(1 for _ in (OUT / 'site').rglob('*.html'))} pages in {OUT.relative_to(ROOT)}/site")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
