# All the set-up that a fresh Debian 12 machine needs: `make demo` and `make test` install the packages they use.
PACKAGES = g++ cmake ninja-build libtbb-dev libtomlplusplus-dev libcli11-dev nlohmann-json3-dev \
           libassimp-dev libopenvdb-dev libboost-dev libembree-dev libpng-dev libcairo2-dev libfontconfig-dev zlib1g-dev
# For the page of `pliant view`. Where another nodejs than Debian's is installed, npm comes with it.
PAGE_PACKAGES = nodejs npm
TEST_PACKAGES = libgtest-dev libeigen3-dev libbenchmark-dev clang-format python3 libxml2-utils
DIST_PACKAGES = libc6-dev binutils fonts-dejavu-core xz-utils
DEMO = build/demo
# How many runs `make validate` starts at once.
JOBS = $(shell nproc)
# Where `make bench` writes results.json and its tables.
BENCH_RESULTS = build/benchmarks

.PHONY: demo test test-browser interop test-long dist test-dist bench validate sanitize format build packages test-packages page-packages models

demo: packages models
	cmake --preset release -DPLIANT_TESTS=OFF -DPLIANT_BENCHMARKS=OFF
	cmake --build --preset release --target pliant
	rm -rf $(DEMO)
	build/release/pliant run cubes-plastic -o $(DEMO)
	build/release/pliant plot $(DEMO)
	build/release/pliant render $(DEMO) --sheet-only
	@echo "Look at $(DEMO)/contact-sheet.png and $(DEMO)/plot.png, or open $(DEMO)/particles.pvd in ParaView."
	@echo "Look at it in the browser: build/release/pliant view $(DEMO)"

test: test-packages models build
	ctest --preset release

# The page in a real browser. `make test` does this too where Chromium is installed: it takes 400 MB.
test-browser: test-packages
	@scripts/install-packages chromium
	cmake --preset release -DPLIANT_TESTS=ON
	cmake --build --preset release --target pliant
	ctest --preset browser

# Checks that ParaView and Blender read the files that pliant writes.
interop: test-packages models build
	@scripts/install-packages paraview python3-paraview blender
	ctest --preset interop

test-long: test-packages models build
	ctest --preset long

# A tarball that runs on other machines: build/dist/pliant-*.tar.xz.
dist: page-packages
	@scripts/install-packages $(PACKAGES) $(DIST_PACKAGES)
	scripts/make-dist

test-dist: test-packages dist
	cmake --preset release -DPLIANT_TESTS=ON
	ctest --preset dist

bench: test-packages models build
	benchmarks/summary.py --run build/release/benchmarks/pliant_benchmarks --into $(BENCH_RESULTS)

# Runs the cases with a known answer and compares them (docs/notes/validation.md).
validate: test-packages models build
	scripts/validation/validate.py --verbose --jobs $(JOBS)

sanitize: test-packages models
	cmake --preset sanitize
	cmake --build --preset sanitize
	ctest --preset sanitize

format:
	git ls-files '*.cpp' '*.hpp' | xargs clang-format -i

build:
	cmake --preset release -DPLIANT_TESTS=ON -DPLIANT_BENCHMARKS=ON
	cmake --build --preset release

# Puts the meshes that scenes use into the cache folder, never into the source tree.
models:
	@scripts/fetch-models

# Installs only missing packages, so that it works offline once they are there.
packages: page-packages
	@scripts/install-packages $(PACKAGES)
test-packages: page-packages
	@scripts/install-packages $(PACKAGES) $(TEST_PACKAGES)
page-packages:
	@command -v npm > /dev/null || scripts/install-packages $(PAGE_PACKAGES)
