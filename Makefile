# make course   environment, exercises, book, a sample class graded; then serves the book (SERVE=0: ends instead)
# make test     everything that must hold
PYTHON ?= python3
PORT ?= 8000
SERVE ?= 1
BIN := .venv/bin
BOOK := build/book/_build/html

# Chapters import solutions/, which no wheel holds.
export PYTHONPATH := $(CURDIR)
# Pages, tests and submissions run side by side, one thread each: faster than processes that fight for all cores.
export OMP_NUM_THREADS ?= 1

.PHONY: course test env exercises book demo serve lint clean
.DEFAULT_GOAL := course

course: env exercises book demo
	@echo
	@echo "The book:     $(BOOK)/index.html"
	@echo "An exercise:  exercises/masking/masking.ipynb   (check it: $(BIN)/grader check masking)"
	@echo "A class:      build/demo   (its scores: $(BIN)/grader scores masking --class build/demo)"
ifneq ($(SERVE),0)
	@$(MAKE) --no-print-directory serve
endif

test: env lint book
	$(BIN)/python -m pytest -n 2 --dist worksteal

env: .venv/.ready
.venv/.ready: pyproject.toml constraints.txt
	@echo "Installing the environment into .venv (a few minutes, once) ..."
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 10) <= sys.version_info < (3, 13) and "Python 3.10 to 3.12 is needed; try: make PYTHON=python3.12")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --constraint constraints.txt --editable '.[dev]'
	@touch $@

# One stamp a product: a second run finds nothing to do.
exercises: build/exercises.ready
build/exercises.ready: .venv/.ready $(wildcard solutions/*.py grader/*.py grader/suites/*.py grader/misconceptions/*.py)
	$(BIN)/grader build --check
	@touch $@

book: build/book.ready
build/book.ready: .venv/.ready build/exercises.ready _config.yml _toc.yml references.bib \
		$(shell find chapters assets data/sentences data/*.py data/tiny_bert data/tiny_gpt -type f 2>/dev/null)
	@echo "Building the book (cold, the chapters' experiments take some minutes) ..."
	$(BIN)/jupyter-book build . --path-output build/book -W --keep-going --quiet
	@touch $@

demo: build/demo.ready
build/demo.ready: build/exercises.ready $(wildcard grader/sandbox/*.py)
	$(BIN)/grader demo build/demo
	@touch $@

serve: book
	@echo "Serving the book at http://localhost:$(PORT)/ (Ctrl-C ends)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory $(BOOK) $(PORT) 2>/dev/null

lint: env
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

clean:
	rm -rf build
