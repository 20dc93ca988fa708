# The everyday commands. Everything they need is installed by `make deps` (SOTTO_NO_INSTALL=1: be told instead).
SCENARIO ?= scenarios/ppdnmf-synthetic.toml
ARGS ?=
PRESET ?= release
JOBS ?= $(shell nproc)

.PHONY: help deps configure build run sweep test test-long golden golden-update bench reproduce check sanitizers lint format docs clean

help:
	@echo 'make run [SCENARIO=file] [ARGS="--trials 20"]   build, run a scenario, print its table'
	@echo 'make sweep SCENARIO=scenarios/sweep-key-size.toml   run a sweep, print its table, draw its plot'
	@echo 'make test        all quick tests, in minutes'
	@echo 'make test-long   every figure of the README, on 20 trials'
	@echo 'make golden      every scenario, made small, gives the files that it gave before; make golden-update rewrites them'
	@echo 'make bench       benchmarks, held against their bars'
	@echo 'make reproduce   the papers'"'"' tables in full (long)'
	@echo 'make check       sanitizer builds with the quick tests, and lint'
	@echo 'make deps        install the Debian packages that are missing, and node-seal'
	@echo 'make format, make docs, make clean'

deps:
	@tools/install-packages
	@tools/install-worker

configure: deps
	@cmake --preset $(PRESET) >/dev/null

build: configure
	@cmake --build --preset $(PRESET) -j $(JOBS)

run: configure
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto
	@build/$(PRESET)/sotto run $(SCENARIO) $(ARGS)

test: build
	ctest --preset $(PRESET) -L quick -j $(JOBS)

test-long: build
	ctest --preset $(PRESET) -L long -j $(JOBS)

golden: configure
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto
	python3 tests/golden/golden.py build/$(PRESET)/sotto .

golden-update: configure
	@cmake --build --preset $(PRESET) -j $(JOBS) --target sotto
	python3 tests/golden/golden.py build/$(PRESET)/sotto . --update

bench: build
	build/$(PRESET)/bench/sotto_bench --benchmark_out=build/$(PRESET)/bench.json --benchmark_out_format=json
	python3 bench/check.py build/$(PRESET)/bench.json
	python3 bench/encrypted.py build/$(PRESET)/sotto
	python3 bench/sweep.py build/$(PRESET)/sotto
	python3 bench/seal.py build/$(PRESET)/sotto
	python3 bench/sums.py build/$(PRESET)/sotto
	@if /usr/bin/python3 -c 'import sklearn' 2>/dev/null; then \
	  /usr/bin/python3 bench/rri.py build/$(PRESET)/bench/rri_time; \
	else echo 'skipped: RRI-NMF against scikit-learn (python3-sklearn is not installed)'; fi

# A sweep, its table and its plot: runs/NAME and runs/NAME.svg.
SWEEP = runs/$(basename $(notdir $(SCENARIO)))
sweep: build
	build/$(PRESET)/sotto sweep $(SCENARIO) --resume --out $(SWEEP) $(ARGS)
	tools/plot-sweep $(SWEEP) $(SWEEP).svg
	@echo 'plot: $(SWEEP).svg'

reproduce: build
	SOTTO_FULL=1 ctest --preset $(PRESET) -R "^(normed_sum_long_test|sweep_kills)$$"
	build/$(PRESET)/sotto run scenarios/ppdnmf-experiment1.toml --trials 100 $(ARGS)
	build/$(PRESET)/sotto run scenarios/ppdnmf-published-128.toml $(ARGS)
	build/$(PRESET)/sotto bench sums --offline dealer,paillier,bfv
	build/$(PRESET)/sotto sweep scenarios/normed-secsum-table3.toml --resume --out runs/normed-secsum-table3 $(ARGS)
	build/$(PRESET)/sotto run scenarios/pdsvd-pcr.toml $(ARGS)
	@if [ -f "$$SOTTO_DATA/cbcl_train_faces_2429x361_u8.npy" ]; then \
	  build/$(PRESET)/sotto run scenarios/ppdnmf-faces-paillier.toml --set algorithm.outer_iterations=201 $(ARGS); \
	else echo 'skipped: faces (SOTTO_DATA names no folder with cbcl_train_faces_2429x361_u8.npy)'; fi
	@if [ -f "$$SOTTO_DATA/docword.kos.txt.gz" ]; then \
	  build/$(PRESET)/sotto sweep scenarios/pdnmf-initializations.toml --resume --out runs/pdnmf-initializations $(ARGS); \
	  build/$(PRESET)/sotto run scenarios/pdsvd-lra.toml $(ARGS); \
	else echo 'skipped: initializations (SOTTO_DATA names no folder with docword.kos.txt.gz)'; fi

sanitizers:
	$(MAKE) test PRESET=asan
	$(MAKE) test PRESET=tsan

# Analyzed as the dev build compiles them, one by one, whatever was built.
lint: deps
	@cmake --preset dev >/dev/null
	@cmake --build --preset dev --target sotto_commit >/dev/null
	tools/lint build/dev

check: sanitizers lint

format: deps
	git ls-files '*.h' '*.cpp' | xargs clang-format-14 -i

# The pages of docs/ and the parts of the README that come from the program.
docs: build
	tools/update-docs build/$(PRESET)/sotto

clean:
	rm -rf build
