#!/usr/bin/env python3
"""Fails unless training/keywords.h lists the fields of all options that classes and functions take as keywords, and no others."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
INCLUDE = ROOT / "include"
KEYWORDS = INCLUDE / "antler/training/keywords.h"
STRUCT = re.compile(r"^( *)struct (\w+)(?: : [^{]*)? \{\n(.*?)^\1\};", re.S | re.M)
FIELD = re.compile(r"^ +[A-Za-z].*?\b(\w+)(?: =.*| \{.*|\{.*)?;", re.M)
FUNCTION_TYPE = re.compile(r"std::function<[^;]*>")
USE = re.compile(r"ANTLER_KEYWORD_(?:CONSTRUCTORS?|CONSTRUCTOR_AFTER|FUNCTION)\(\s*\w+,\s*(\w+)")
SPLIT = re.compile(r"(?:from|split)_keywords<([\w, ]+)>\(")
NOT_KEYWORDS = {"clock", "named_only"}  # tests replace clocks
# Their options have the names of others, but no keywords.
WITHOUT = {"cluster", "distribute", "estimator"}


def fields_of(body):
    body = re.sub(r"(?<!:)//[^\n]*", "", body)  # not in "http://"
    body = re.sub(r"=\s*\n\s*", "= ", body)  # a default on the next line
    return {name for line, name in ((m[0], m[1]) for m in FIELD.finditer(body)) if "(" not in FUNCTION_TYPE.sub("", line).split("=")[0] and "using" not in line}


def main():
    structs, used = {}, set()
    for path in INCLUDE.rglob("*.h"):
        if WITHOUT & set(path.parts):
            continue
        text = path.read_text(encoding="utf-8")
        for _, name, body in STRUCT.findall(text):
            structs.setdefault(name, set()).update(fields_of(body))
        if path.name == "keyword.h":
            continue
        used.update(USE.findall(text))
        for names in SPLIT.findall(text):
            used.update(re.split(r",\s*", names))
    keywords = set(re.findall(r"^ANTLER_(?:TYPED_|BRACES_)?KEYWORD\((\w+)|(?<= )ANTLER_KEYWORD\((\w+)", KEYWORDS.read_text(encoding="utf-8"), re.M))
    keywords = {a or b for a, b in keywords}
    sources = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "src/nn").rglob("*.cpp"))
    calls = {name for name in keywords if f'"{name}"' in sources}  # arguments of layers' calls
    unknown = used - structs.keys() - {"Options", "Parts"}
    taken = set().union(*(structs[name] for name in used & structs.keys())) - NOT_KEYWORDS
    fields = set().union(*structs.values())
    for name in sorted(unknown):
        print(f"check_keywords: the options {name} are not found")
    for name in sorted(taken - keywords):
        print(f"{KEYWORDS.relative_to(INCLUDE)}: `{name}` is missing")
    unused = keywords - fields - calls
    for name in sorted(unused):
        print(f"{KEYWORDS.relative_to(INCLUDE)}: no options and no call have `{name}`")
    print(f"check_keywords: {len(keywords)} keywords for {len(used)} options")
    return 1 if unknown or taken - keywords or unused else 0


if __name__ == "__main__":
    sys.exit(main())
