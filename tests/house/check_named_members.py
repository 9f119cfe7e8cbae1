#!/usr/bin/env python3
"""A stage of src/pliant/ with more than eight members must be initialised by name (.x = x) wherever it is made, so that
two swapped pointers do not compile. A stage is a struct with operator()(Index)."""
import pathlib
import re
import sys

MOST = 8
root = pathlib.Path(sys.argv[1])


def members_of(body):
    """How many data members a struct declares before its functions."""
    count = 0
    for line in body.split("\n"):
        code = line.split("//")[0].strip()
        if re.match(r"(template <|PLIANT_HD|PLIANT_INLINED|void |auto |private:|struct |static [^c])", code):
            break
        if code.endswith(";") and "(" not in code and not re.match(r"(static|using|friend)", code):
            count += 1 + re.sub(r"<[^<>]*>", "", code).count(",")
    return count


large = set()
for path in (root / "src/pliant").rglob("*.hpp"):
    for name, body in re.findall(r"\nstruct (\w+) \{\n(.*?)\n\};", path.read_text(), flags=re.S):
        if re.search(r"operator\(\)\(Index", body) and members_of(body) > MOST:
            large.add(name)

faults = []
for folder in ("src", "tests", "benchmarks"):
    for path in sorted((root / folder).rglob("*.[chip]*")):
        if path.suffix not in {".cpp", ".hpp", ".cu"}:
            continue
        text = path.read_text()
        for match in re.finditer(r"(?<!struct )\b(" + "|".join(sorted(large)) + r")(?:<[^;{}]*?>)?(?: const)?(?: \w+)?\{\s*([^\s])", text):
            if match.group(2) not in ".}":
                number = text[: match.start()].count("\n") + 1
                faults.append(f"{path}:{number}: {match.group(1)} has more than {MOST} members: fill them by name")
print("\n".join(faults) if faults else f"{len(large)} large stages are filled by name")
sys.exit(1 if faults else 0)
