#!/usr/bin/env python3
"""Runs the cases of scenes/validation through the command line and compares them with what theory says.

Prints one table and ends with exit code 1 if a case misses its target without being a limit that the guide states.
    scripts/validation/validate.py [--quick] [--jobs 16] [--only WORD,WORD] [--binary build/release/pliant]
"""
import argparse
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import contact     # noqa: F401  the modules register their cases
import dynamics    # noqa: F401
import fluids      # noqa: F401
import plasticity  # noqa: F401
import statics     # noqa: F401
from cases import CASES
from runs import Runner, RunFailed

ROOT = Path(__file__).resolve().parents[2]
HEAD = ["case", "resolution", "method", "quantity", "reference", "measured", "error", "allowed", "result", "known limit"]


def rows_of(case, method, run):
    """Lines of the table, and how many of them fail."""
    start = [f"{case.number} {case.name}", case.resolution, method]
    rows, failed = [], 0
    try:
        results = list(case.measure(run, method))
    except RunFailed as failure:
        limit = case.limit(method, "run")
        return [start + ["run", "ends", str(failure), "-", "-", "FAIL", limit[1] if limit else ""]], int(not limit)
    except (IndexError, KeyError, StopIteration, ValueError, ZeroDivisionError) as failure:  # nothing there to measure
        return [start + ["run", "can be measured", repr(failure), "-", "-", "FAIL", ""]], 1
    for r in results:
        limit = "" if r.passed else case.limit(method, r.quantity)
        known = bool(limit) and abs(r.error) <= limit[0]
        failed += not r.passed and not known
        unit = f" {r.unit}" if r.unit else ""
        rows.append(start + [r.quantity, f"{r.reference:.5g}{unit}", f"{r.measured:.5g}{unit}", f"{100 * r.error:+.2f}%",
                             f"{100 * r.allowed:g}%", "pass" if r.passed else "FAIL",
                             f"{limit[1]} (up to {100 * limit[0]:g}%)" if limit else ""])
    return rows, failed


def chosen(options):
    """(case, method) in the order of the table."""
    for case in sorted(CASES, key=lambda c: c.number):
        words = options.only.split(",")
        if not any(word in case.name or word == str(case.number) for word in words):
            continue
        for method in case.quick if options.quick else case.methods:
            if not options.method or method == options.method:
                yield case, method


def print_table(rows):
    widths = [max(len(row[k]) for row in rows) for k in range(len(HEAD))]
    for k, row in enumerate(rows):
        print("| " + " | ".join(text.ljust(width) for text, width in zip(row, widths)) + " |")
        if k == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--binary", default=ROOT / "build/release/pliant")
    parser.add_argument("--quick", action="store_true", help="the short ones only")
    parser.add_argument("--only", default="", help="cases whose name contains this word, or of this number; several with commas")
    parser.add_argument("--method", default="", help="this method only")
    parser.add_argument("--threads", type=int, default=1, help="of one run")
    parser.add_argument("--jobs", type=int, default=1, help="how many runs at once")
    parser.add_argument("--keep", help="folder for the runs, which is kept")
    parser.add_argument("--verbose", action="store_true", help="prints every run and how long it took")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as work:
        run = Runner(options.binary, ROOT / "scenes/validation", options.keep or work, options.threads, options.verbose)
        table, failed, started = [HEAD], 0, time.time()
        with ThreadPoolExecutor(options.jobs) as pool:
            for rows, misses in pool.map(lambda pair: rows_of(*pair, run), chosen(options)):
                table += rows
                failed += misses
        print_table(table)
    known = sum(row[8] == "FAIL" for row in table) - failed
    print(f"{len(table) - 1} figures, {failed} fail, {known} miss their target by no more than a limit that the guide states; "
          f"{time.time() - started:.0f} s")
    if len(table) == 1:
        print("no case was chosen")
    return 1 if failed or len(table) == 1 else 0


if __name__ == "__main__":
    sys.exit(main())
