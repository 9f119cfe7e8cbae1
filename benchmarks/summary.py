#!/usr/bin/env python3
"""Turns the JSON of pliant_benchmarks into a short table in Markdown.

  summary.py results.json                  prints the table of a run
  summary.py --run BINARY --into FOLDER    runs BINARY first and leaves results.json and README.md in FOLDER
"""
import argparse
import json
import os
import subprocess
import sys


def commit():
    git = ["git", "-C", os.path.dirname(os.path.abspath(__file__))]
    try:
        name = subprocess.run(git + ["rev-parse", "--short", "HEAD"], capture_output=True, text=True, check=True).stdout
        changed = subprocess.run(git + ["status", "--porcelain", "--", ":/src", ":/benchmarks/*.[ch]pp"],
                                 capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return "unknown"
    return name.strip() + (" with changes" if changed else "")


def cpu_model():
    wanted = {"model name": "", "cpu family": "", "model": ""}
    try:
        with open("/proc/cpuinfo") as file:
            for line in file:
                key, _, value = line.partition(":")
                if key.strip() in wanted and not wanted[key.strip()]:
                    wanted[key.strip()] = value.strip()
    except OSError:
        return "unknown"
    return "{model name} (family {cpu family}, model {model})".format(**wanted)


def run(binary, folder):
    os.makedirs(folder, exist_ok=True)
    path = os.path.join(folder, "results.json")
    subprocess.run([binary, "--benchmark_out=" + path, "--benchmark_out_format=json"], check=True)
    with open(path) as file:
        results = json.load(file)
    # Nothing that names the machine beyond its kind.
    for key in ("host_name", "executable"):
        results["context"].pop(key, None)
    results["context"].update({"commit": commit(), "cpu": cpu_model()})
    with open(path, "w") as file:
        json.dump(results, file, indent=1)
        file.write("\n")
    return results


def rows(results, kind):
    for b in results["benchmarks"]:
        name = b["name"].split("/")
        if name[0] == kind:
            yield name[1], b


def number(value):
    if value is None:
        return "-"
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.3g}"


def table(heads, lines):
    print("| " + " | ".join(heads) + " |")
    print("|" + " ---: |" * len(heads))
    for line in lines:
        print("| " + " | ".join(line) + " |")
    print()


def section(results, kind, title, columns):
    lines = [[f"{int(size):,}"] + [number(b.get(key)) for key, _ in columns] for size, b in rows(results, kind)]
    if lines:
        print(f"### {title}\n")
        table(["particles"] + [head for _, head in columns], lines)


def summarize(results):
    context = results["context"]
    loads = context.get("load_avg", [])
    print(f"{context.get('date', '')[:10]}, commit {context.get('commit', 'unknown')}, "
          f"gcc {context.get('compiler', '?')} {context.get('flags', '')}, {context.get('cpu', cpu_model())}, "
          f"{context.get('num_cpus')} cores, load at the start {loads[0] if loads else '?'}. Times are medians.\n")
    for _, b in rows(results, "read"):
        print(f"All cores together read {b['GB_per_s']:.1f} GB/s.\n")
    section(results, "bonds", "Building the bonds",
            [("real_time", "ms"), ("ns_per_particle", "ns per particle"), ("ns_per_bond", "ns per bond"),
             ("bonds_per_particle", "bonds per particle"), ("bytes_per_particle", "bytes per particle"),
             ("grid_ms", "ms, one grid alone")])
    section(results, "product", "One product q = (M + tau^2 K) p",
            [("real_time", "ms"), ("fastest_ms", "fastest"), ("ns_per_particle", "ns per particle"),
             ("ns_per_bond", "ns per bond"), ("bytes_per_particle", "bytes kept per particle"),
             ("read_per_particle", "bytes read per particle"), ("GB_per_s", "GB/s")])
    section(results, "product", "The same product with the paper's stored 6x3 blocks",
            [("stored_ms", "ms"), ("stored_fastest_ms", "fastest"), ("stored_over_ours", "times ours"), ("stored_bytes_L", "bytes kept, L"),
             ("stored_bytes_L_LT", "bytes kept, L and its transpose"), ("stored_read", "bytes read per particle"),
             ("stored_GB_per_s", "GB/s"), ("stored_write_ms", "ms to write the blocks, once per step")])
    section(results, "touches", "The search for touches of a step, two blocks one upon the other",
            [("real_time", "ms"), ("fastest_ms", "fastest"), ("ns_per_particle", "ns per particle"),
             ("ns_per_surface_particle", "ns per surface particle"), ("on_surface", "surface particles"),
             ("touching", "particles that touch"), ("surface_ns_per_particle", "ns per particle to find the surface")])
    section(results, "surface", "The level-set surface of the armadillo",
            [("real_time", "ms"), ("triangles", "triangles"), ("ns_per_particle", "ns per particle"),
             ("per_particle_vs_20k", "over 19,866"), ("ns_per_triangle", "ns per triangle"),
             ("bytes_per_particle", "bytes per particle")])
    section(results, "step", "A whole step of the cantilever, E = 1e6 Pa, dt = 2 ms",
            [("real_time", "ms per step"), ("iterations_per_step", "iterations"), ("iteration_ms", "ms per iteration"),
             ("ns_per_particle_iteration", "ns per particle and iteration"), ("iteration_vs_20480", "over 20,480"),
             ("solve_share", "share of the iterations"), ("bytes_per_particle", "bytes per particle")])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", nargs="?")
    parser.add_argument("--run", metavar="BINARY")
    parser.add_argument("--into", metavar="FOLDER")
    arguments = parser.parse_args()
    if arguments.run and arguments.into:
        results = run(arguments.run, arguments.into)
        with open(os.path.join(arguments.into, "README.md"), "w") as file:
            out, sys.stdout = sys.stdout, file
            summarize(results)
            sys.stdout = out
    elif arguments.json:
        with open(arguments.json) as file:
            results = json.load(file)
    else:
        parser.error("give a results.json, or --run and --into")
    summarize(results)


if __name__ == "__main__":
    main()
