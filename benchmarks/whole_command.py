#!/usr/bin/env python3
"""What a user waits for: whole commands beside their steps.

    benchmarks/whole_command.py --pliant build/release/pliant [--device cuda] [--only REGEX] [--limit 300] [--into FOLDER]

Runs `pliant run` once per row, in a folder that is removed afterwards, and prints a table: the time of the command as
the shell sees it, what summary.json says of set-up, steps, waiting for output, surfaces and files, and the command's
time over that of its steps. With --into it leaves whole-command.md and whole-command.json there, rewritten after every
row. --share 0.01 runs every row with a hundredth of its particles and a tenth of its frames, to try the script.
A row that takes longer than --limit seconds is ended and says so. Needs Python's standard library only.
"""
import argparse, datetime, json, os, pathlib, platform, re, shutil, signal, subprocess, sys, tempfile, time

FPS = 60
# Armadillos of jelly that fall on the floor, as in scenes/armadillo-medium.toml; the plastic ones are those of
# benchmarks/results/h200.
PLASTIC = 'materials.foam={density=700,young=1e6,poisson=0.3,plasticity="flow",yield_stress=2e4,flow_rate=20}'
NO_FILES, LEVEL_SET = "output.particles=[]", 'output.surface="levelset"'
# name, particles (none: those of the scene), frames, overrides, what the command may take at most, in times of its steps
ROWS = [
    ("medium, no particle files", None, 240, [NO_FILES], 1.25),
    ("medium, VTP", None, 240, [], 1.25),
    ("medium, level set", None, 240, [NO_FILES, LEVEL_SET], 1.5),
    ("medium, VTP and level set", None, 240, [LEVEL_SET], 1.5),
    ("200,000 elastic", 200_000, 60, [], 1.25),
    ("200,000 plastic", 200_000, 60, [PLASTIC], 1.25),
    ("1,000,000 elastic", 1_000_000, 6, [], 1.25),
    ("1,000,000 plastic", 1_000_000, 72, [PLASTIC], 1.25),
]
COLUMNS = [("command", "command_s"), ("set-up", "setup_s"), ("steps", "wall_s"), ("waiting", "output_s"),
           ("surfaces", "surface_s"), ("files", "files_s")]


def scene_changes(particles, frames, overrides, share):
    count = particles or 19_866
    if share < 1:
        count, frames = max(500, int(count * share)), max(3, frames // 10)
    changes = [f"duration={frames / FPS}", *overrides]
    if particles or share < 1:
        changes.append(f"bodies.0.particles={count}")
    return [part for change in changes for part in ("--set", change)]


def measure(options, rest, row):
    name, particles, frames, overrides, goal = row
    folder = pathlib.Path(tempfile.mkdtemp(prefix="whole", dir=options.folder))
    command = [options.pliant, "run", "armadillo-medium", "-o", str(folder / "run"), "--quiet", "--device", options.device,
               *scene_changes(particles, frames, overrides, options.share), *rest]
    measured = {"row": name, "goal": goal}
    try:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        try:
            _, errors = process.communicate(timeout=options.limit)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            process.communicate()
            return {**measured, "failed": f"took longer than {options.limit:g} s"}
        measured["command_s"] = time.perf_counter() - begin
        if process.returncode != 0:
            lines = errors.strip().splitlines()
            return {**measured, "failed": lines[0] if lines else f"exit code {process.returncode}"}
        summary = json.loads((folder / "run" / "summary.json").read_text())
        for key in ("total_s", "setup_s", "wall_s", "output_s", "surface_s", "files_s", "particles", "frames", "steps",
                    "device", "threads", "peak_memory_bytes"):
            measured[key] = summary.get(key)
        files = [f for f in (folder / "run").rglob("*") if f.is_file()]
        measured["disk_bytes"] = sum(f.stat().st_size for f in files)
        measured["ratio"] = measured["command_s"] / measured["wall_s"]
        return measured
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def table(rows):
    head = ["run", "particles", "frames", *(f"{title} [s]" for title, _ in COLUMNS), "command / steps", "goal",
            "memory [GB]", "disk [GB]"]
    lines = ["| " + " | ".join(head) + " |", "| " + " | ".join("---" for _ in head) + " |"]
    for row in rows:
        if "failed" in row:
            lines.append(f"| {row['row']} | {row['failed']} |" + " |" * (len(head) - 2))
            continue
        cells = [row["row"], f"{row['particles']:,}", str(row["frames"]), *(f"{row[key]:.2f}" for _, key in COLUMNS),
                 f"{row['ratio']:.2f}", f"{row['goal']:g}", f"{row['peak_memory_bytes'] / 1e9:.2f}",
                 f"{row['disk_bytes'] / 1e9:.2f}"]
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def machine():
    processor = platform.processor() or platform.machine()
    try:
        processor = re.search(r"model name\s*:\s*(.*)", pathlib.Path("/proc/cpuinfo").read_text())[1]
    except (OSError, TypeError):
        pass
    gpus = ""
    if shutil.which("nvidia-smi"):
        found = subprocess.run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"], capture_output=True, text=True)
        gpus = ", ".join(found.stdout.split("\n")[:-1]) if found.returncode == 0 else ""
    return f"{processor}, {len(os.sched_getaffinity(0))} cores" + (f", {gpus}" if gpus else "")


def store(folder, rows):
    folder.mkdir(parents=True, exist_ok=True)
    day = datetime.date.today().isoformat()
    (folder / "whole-command.json").write_text(json.dumps({"date": day, "machine": machine(), "rows": rows}, indent=1))
    (folder / "whole-command.md").write_text(f"{day}, {machine()}\n\n{table(rows)}\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pliant", default="build/release/pliant")
    parser.add_argument("--device", default="auto")
    parser.add_argument("--only", default="", help="rows whose names hold this expression")
    parser.add_argument("--limit", type=float, default=300, help="seconds per row")
    parser.add_argument("--into", type=pathlib.Path, help="folder of the results")
    parser.add_argument("--folder", help="where runs leave their files meanwhile; by default the system's temporary one")
    parser.add_argument("--share", type=float, default=1, help="of the particles; below 1 there are fewer frames too")
    options, rest = parser.parse_known_args()
    rows = []
    for row in ROWS:
        if not re.search(options.only, row[0]):
            continue
        print(row[0], "...", file=sys.stderr, flush=True)
        rows.append(measure(options, rest, row))
        if options.into:
            store(options.into, rows)
    print(machine() + "\n\n" + table(rows))


if __name__ == "__main__":
    main()
