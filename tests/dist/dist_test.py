#!/usr/bin/env python3
"""Tests the tarball of `make dist`, unpacked into an empty tree that becomes the root: no libraries, no fonts, no /proc,
no environment. What runs there runs on any Linux with such a processor. Needs root rights or user namespaces; without
either, the same commands run in the usual root with an empty environment, and a message says so.
Usage: dist_test.py FOLDER_WITH_TARBALL"""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zlib

FOLDER = pathlib.Path(sys.argv.pop(1))
NOT_MADE = 77  # the exit code that CTest counts as skipped
# Ways to change the root: with root rights, or in a user namespace.
ROOTS = [["chroot"], ["unshare", "--map-root-user", "chroot"]]


def picture(path):
    """Rows of RGB triples of an 8-bit RGB PNG."""
    data = path.read_bytes()
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert (depth, kind) == (8, 2), "not the kind of PNG that pliant writes"
    packed, at = b"", 8
    while at < len(data):
        length, name = struct.unpack(">I4s", data[at : at + 8])
        if name == b"IDAT":
            packed += data[at + 8 : at + 8 + length]
        at += length + 12
    raw, above, rows = zlib.decompress(packed), bytearray(3 * width), []
    for y in range(height):
        start = y * (3 * width + 1)
        row = bytearray(raw[start + 1 : start + 1 + 3 * width])
        for k in range(3 * width):
            left, up = row[k - 3] if k >= 3 else 0, above[k]
            corner = above[k - 3] if k >= 3 else 0
            predicted = {0: lambda: 0, 1: lambda: left, 2: lambda: up, 3: lambda: (left + up) // 2,
                         4: lambda: min((left, up, corner), key=lambda p: abs(left + up - corner - p))}[raw[start]]()
            row[k] = (row[k] + predicted) % 256
        rows.append([tuple(row[k : k + 3]) for k in range(0, 3 * width, 3)])
        above = row
    return rows


class Dist(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="pliant-dist-"))
        with tarfile.open(next(FOLDER.glob("pliant-*.tar.xz"))) as archive:
            archive.extractall(cls.root)
        cls.prefix = next(cls.root.iterdir())
        cls.chroot = next((words for words in ROOTS if cls.works(words)), None)
        if cls.chroot is None:
            print("neither root rights nor user namespaces: the system's libraries stay in sight")
        cls.scene_run = cls.call("run", "cube-drop", "--frames", "5", "-o", cls.inside("out"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def works(cls, words):
        command = [shutil.which(words[0]) or "/usr/sbin/" + words[0], *words[1:], cls.root]
        try:
            return subprocess.run([*command, "/" + cls.prefix.name + "/bin/pliant", "--version"], env={},
                                  capture_output=True).returncode == 0
        except OSError:
            return False

    @classmethod
    def inside(cls, name):
        """The path of a file of the tree, as the program sees it."""
        return ("/" if cls.chroot else str(cls.root) + "/") + name

    @classmethod
    def call(cls, *arguments, binary=None, env=None):
        words = [binary or cls.inside(cls.prefix.name + "/bin/pliant"), *arguments]
        if cls.chroot:
            first = shutil.which(cls.chroot[0]) or "/usr/sbin/" + cls.chroot[0]
            words = [first, *cls.chroot[1:], str(cls.root), *words]
        return subprocess.run(words, env=env or {}, cwd=cls.root, capture_output=True, text=True)

    def expect_success(self, outcome):
        self.assertEqual(outcome.returncode, 0, outcome.stdout + outcome.stderr)
        self.assertEqual(outcome.stderr, "")

    def test_all_libraries_come_from_the_tarball(self):
        lib = self.inside(self.prefix.name + "/lib")
        outcome = self.call("--library-path", lib, "--list", self.inside(self.prefix.name + "/libexec/pliant"),
                            binary=lib + "/ld-linux-x86-64.so.2")
        self.expect_success(outcome)
        found = [line for line in outcome.stdout.splitlines() if "linux-vdso" not in line]
        self.assertGreater(len(found), 10)
        for line in found:
            self.assertIn(lib + "/", line)

    def test_version_and_scenes(self):
        outcome = self.call("--version")
        self.expect_success(outcome)
        self.assertIn("pliant-" + outcome.stdout.split()[1] + "-linux", self.prefix.name)
        outcome = self.call("scenes")
        self.expect_success(outcome)
        self.assertIn("cube-drop", outcome.stdout)
        self.assertIn("cantilever", outcome.stdout)

    def test_a_scene_runs(self):
        self.expect_success(self.scene_run)
        self.assertEqual(len((self.root / "out/stats.csv").read_text().splitlines()), 7)  # header, frames 0 to 5
        self.assertEqual(len(list((self.root / "out/particles").iterdir())), 6)

    def test_plots_have_letters(self):
        self.expect_success(self.call("plot", self.inside("out"), "-o", self.inside("plot.svg")))
        letters = re.findall(r'id="glyph[^>]*>\s*<path[^>]* d="(M [^"]*)"', (self.root / "plot.svg").read_text())
        self.assertGreater(len(set(letters)), 30)  # different outlines, not a row of equal boxes
        self.expect_success(self.call("plot", self.inside("out")))
        self.assertGreater((self.root / "out/plot.png").stat().st_size, 10000)

    def test_the_legend_of_a_picture_has_letters(self):
        """Without any font the same sheet differs in many dark pixels."""
        sheet = ["render", self.inside("out"), "--sheet-only", "--color", "von_mises", "--sheet", "2", "--samples", "1",
                 "--sheet-size", "240x180"]
        self.expect_success(self.call(*sheet, "-o", self.inside("with.png")))
        (self.root / "none.conf").write_text("<fontconfig><cachedir>" + self.inside("cache") + "</cachedir></fontconfig>")
        self.assertEqual(self.call(*sheet, "-o", self.inside("without.png"),
                                   env={"FONTCONFIG_FILE": self.inside("none.conf")}).returncode, 0)
        changed = sum(a != b and sum(a) < 3 * 128
                      for row, other in zip(picture(self.root / "with.png"), picture(self.root / "without.png"))
                      for a, b in zip(row, other))
        self.assertGreater(changed, 200)  # a letter of this size has about 20 such pixels

    def test_the_bench_runs(self):
        outcome = self.call("bench", "--quick")
        self.expect_success(outcome)
        self.assertIn(" 20,480 ", outcome.stdout)

    def test_a_link_to_the_program_works_and_other_libraries_do_not_matter(self):
        (self.root / "link").symlink_to(self.prefix.name + "/bin/pliant")
        (self.root / "wrong").mkdir()
        (self.root / "wrong/libcairo.so.2").write_text("no library")
        outcome = self.call("scenes", binary=self.inside("link"), env={"LD_LIBRARY_PATH": self.inside("wrong")})
        self.expect_success(outcome)
        self.assertIn("cube-drop", outcome.stdout)

    def test_what_is_bundled_is_listed_with_its_licence(self):
        text = (self.prefix / "licences/README").read_text()
        for library in (self.prefix / "lib").iterdir():
            self.assertIn(" lib/" + library.name, text)
        for package in re.findall(r", package (\S+) ", text):
            self.assertGreater((self.prefix / "licences" / package).stat().st_size, 200)
        for name in ["LICENSE", "README.md", "scripts/fetch-models", "share/pliant/fonts/DejaVuSans.ttf"]:
            self.assertTrue((self.prefix / name).is_file(), name)

    def test_its_size_and_what_must_not_be_in_it(self):
        self.assertLess(next(FOLDER.glob("pliant-*.tar.xz")).stat().st_size, 60e6)
        source = str(FOLDER.resolve().parent.parent).encode()
        self.assertNotIn(source, (self.prefix / "libexec/pliant").read_bytes())
        with tarfile.open(next(FOLDER.glob("pliant-*.tar.xz"))) as archive:
            members = archive.getmembers()
        self.assertEqual([m.name for m in members], sorted((m.name for m in members), key=lambda n: n.split("/")))
        self.assertEqual(len({(m.mtime, m.uid, m.gid) for m in members}), 1)


if __name__ == "__main__":
    if not any(FOLDER.glob("pliant-*.tar.xz")):
        print(f"no tarball in {FOLDER}: `make dist` makes it")
        sys.exit(NOT_MADE)
    unittest.main()
