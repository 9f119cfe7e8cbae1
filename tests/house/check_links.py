#!/usr/bin/env python3
"""Every relative link in a Markdown file leads to an existing file or heading, and every page of docs/ that sources,
scenes and scripts name exists."""
import pathlib
import re
import subprocess
import sys

LINK = re.compile(r"!?\[[^\]]*\]\(([^)\s]+)\)")
PAGE = re.compile(r"\bdocs/[\w./-]+\.md\b")
SOURCES = {".hpp", ".cpp", ".cu", ".py", ".toml", ".txt", ".cmake", ".json", ""}

root = pathlib.Path(sys.argv[1]).resolve()


def known_files():
    """Files of the repository without build outputs; all files if git is not available."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard", "-z"], check=True,
                                capture_output=True, text=True).stdout.split("\0")
        paths = [root / name for name in listed if name]
    except (OSError, subprocess.CalledProcessError):
        paths = root.rglob("*")
    return sorted(p for p in paths if p.is_file() and "build" not in p.relative_to(root).parts)


def without_code(text):
    """The lines of the text, with fenced blocks and inline code blanked."""
    lines, fenced = [], False
    for line in text.splitlines():
        fence = line.lstrip().startswith("```")
        lines.append("" if fenced or fence else re.sub(r"`[^`]*`", "", line))
        fenced ^= fence
    return lines


def anchors(path):
    """The anchors that GitHub makes from the headings of a page."""
    found, fenced = set(), False
    for line in path.read_text().splitlines():
        fenced ^= line.lstrip().startswith("```")
        match = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if fenced or not match:
            continue
        title = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match.group(1)).lower()
        slug = re.sub(r"[^\w\- ]", "", title).replace(" ", "-")
        number = 0
        while slug + (f"-{number}" if number else "") in found:
            number += 1
        found.add(slug + (f"-{number}" if number else ""))
    return found


def fault_of(path, target):
    """Why a link of a page is wrong, or None."""
    if re.match(r"[a-z][a-z0-9+.-]*:", target):
        return None  # another site
    name, _, anchor = target.partition("#")
    file = (path.parent / name).resolve() if name else path
    if not file.exists():
        return f"leads to '{name}', which does not exist"
    if anchor and (file.suffix != ".md" or anchor not in anchors(file)):
        return f"leads to '{target}', and that file has no such heading"
    return None


faults = []
for path in known_files():
    where = path.relative_to(root)
    if path.suffix == ".md":
        for number, line in enumerate(without_code(path.read_text()), 1):
            for target in LINK.findall(line):
                if fault := fault_of(path, target):
                    faults.append(f"{where}:{number}: {fault}")
    if path.suffix in SOURCES and path.name != "check_links.py":
        try:
            text = path.read_text()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(text.splitlines(), 1):
            for page in PAGE.findall(line):
                if not (root / page).exists():
                    faults.append(f"{where}:{number}: names {page}, which does not exist")
print("\n".join(faults) if faults else "links hold")
sys.exit(1 if faults else 0)
