# make course   environment, exercises, book, a sample class graded; then serves the book (SERVE=0: ends instead)
# make test     what must hold before each push
# make test-whole   and what takes long for what it finds: each night, and before a version
# make outputs  execute what has changed and keep all pages' outputs in chapters/outputs, from which a clone's book is made
# make downloads   the book as PDF, EPUB and a zip for reading offline
PYTHON ?= python3
PORT ?= 8000
SERVE ?= 1
# Where torch comes from. On Linux without a GPU its own index has a build without CUDA, 2.5 GB less; TORCH= takes the usual.
TORCH ?= $(if $(filter Linux,$(shell uname -s)),$(if $(shell command -v nvidia-smi),,https://download.pytorch.org/whl/cpu))
BIN := .venv/bin
BOOK := build/book/_build/html
ENGLISH := build/english-book/_build/html

# Chapters import solutions/, which no wheel holds.
export PYTHONPATH := $(CURDIR)
# Pages, tests and submissions run side by side, one thread each: faster than processes that fight for all cores.
export OMP_NUM_THREADS ?= 1

.PHONY: course test test-whole env book outputs korean english downloads demo serve lint clean
.DEFAULT_GOAL := course

course: env
	@$(MAKE) --no-print-directory -j 2 demo book
ifneq ($(SERVE),0)
	@$(MAKE) --no-print-directory serve
else
	@echo
	@echo "The book:     $(BOOK)/index.html"
	@echo "An exercise:  exercises/masking/masking.ipynb   (check it: $(BIN)/grader check masking)"
	@echo "A class:      build/demo   (its scores: $(BIN)/grader scores masking --class build/demo)"
endif

test test-whole: env lint book
	@$(BIN)/python -m compileall -qq grader  # for the commands that tests start, where Python itself writes none
	$(BIN)/python -m pytest -n 3 --dist worksteal $(if $(filter test-whole,$@),-m "not exhaustive")

env: .venv/.ready
.venv/.ready: pyproject.toml constraints.txt
	@echo "Installing the environment into .venv (a few minutes, once) ..."
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 15) and "Python 3.11 to 3.14 is needed; where you have one, name it: make PYTHON=python3.13")'
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(if $(TORCH),$(BIN)/pip install --quiet --no-compile --no-deps --retries 0 --timeout 5 --constraint constraints.txt \
		--index-url $(TORCH) torch 2>/dev/null || echo "$(TORCH) does not answer: torch comes from the usual index.")
	$(BIN)/pip install --quiet --no-compile --constraint constraints.txt --editable '.[dev]'
	@$(BIN)/python -m compileall -qq -j 0 .venv/lib || true  # by all cores, where pip takes one; templates do not compile
	@touch $@

# One stamp a product: a second run finds nothing to do. Pages are executed once; then both editions are built at once.
WARNINGS := -W --keep-going --quiet
PAGES := .venv/.ready _config.yml _toc.yml references.bib \
	$(shell find chapters assets exercises solutions grader locale data/sentences data/stories data/*.py data/tiny_* -type f -not -name '*.pyc' -not -path '*/.*' 2>/dev/null)

# Outputs come from chapters/outputs where they are of today's code; EXECUTE=1 executes all pages anew.
book: build/book.ready
ifdef EXECUTE
.PHONY: build/book.ready
endif
build/book.ready: $(PAGES)
	@echo "Building the book in both languages ..."
	$(if $(EXECUTE),rm -rf build/.jupyter_cache build/book/_build/.doctrees build/english-book/_build/.doctrees)
	$(if $(EXECUTE),COURSE_EXECUTE=1) COURSE_OUTPUTS=1 $(BIN)/jupyter-book build . --path-output build/book $(WARNINGS)
	@$(MAKE) --no-print-directory -j 2 korean english
	@rm -rf $(BOOK)/en && cp -a $(ENGLISH) $(BOOK)/en
	@ln -sfn $(BOOK:build/%=%) build/site
	@touch $@

outputs: env
	COURSE_STORE=1 COURSE_OUTPUTS=1 $(BIN)/jupyter-book build . --path-output build/book $(WARNINGS)

korean:
	$(BIN)/jupyter-book build . --path-output build/book $(WARNINGS)

english:
	$(BIN)/python assets/editions/english.py build/english
	$(BIN)/jupyter-book build build/english --path-output build/english-book $(WARNINGS)

# The whole book to carry away: PDF and EPUB of each edition, and a zip of both that opens from disk. The pages' footers
# lead to them. Some minutes.
downloads: book
	$(BIN)/python assets/editions/offline.py $(BOOK)
	@rm -rf build/book/_build/epub build/english-book/_build/epub  # what changed in no page is not written anew
	$(BIN)/jupyter-book build . --path-output build/book --builder custom --custom-builder epub --quiet
	$(BIN)/jupyter-book build build/english --path-output build/english-book --builder custom --custom-builder epub --quiet
	@cp build/book/_build/epub/attentively.epub $(BOOK)/downloads/
	@cp build/english-book/_build/epub/attentively.epub $(BOOK)/en/downloads/
	$(BIN)/python assets/editions/pdf.py $(BOOK)
	$(BIN)/python assets/editions/pdf.py $(BOOK)/en
	$(BIN)/python assets/editions/links.py $(BOOK)

demo: build/demo.ready
build/demo.ready: .venv/.ready $(wildcard solutions/*.py grader/*.py grader/*/*.py)
	$(BIN)/grader demo build/demo
	@touch $@

serve: env
	@echo "The book is at http://localhost:$(PORT)/ (Ctrl-C ends)"
	@$(BIN)/python -m http.server --bind 127.0.0.1 --directory build/site $(PORT) 2>/dev/null \
		|| { echo "Port $(PORT) is taken; try another: make PORT=8001"; exit 1; }

lint: env
	$(BIN)/ruff check --quiet .
	$(BIN)/ruff format --quiet --check .

clean:
	rm -rf build
