#!/bin/sh
# Pins every requirement anew, with hashes and without addresses. Needs uv and the environment of `make check`.
# Options of `uv pip compile`, such as --upgrade, are passed on.
set -eu
cd "$(dirname "$0")/.."
.venv/bin/python -m pip wheel --no-deps --no-build-isolation --wheel-dir dist packages/*/
own=$(printf -- '--no-emit-package %s ' $(basename -a packages/*/))

# compile OUTPUT INPUT...
compile() {
    output=$1
    shift
    uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header --no-annotate \
        --quiet --find-links dist $own $options "$@" -o "requirements/$output.txt"
}

options=$*
pins="-c requirements/run.txt -c requirements/demo.txt"
compile run --all-extras packages/*/pyproject.toml
compile demo --extra payments -c requirements/run.txt -c requirements/dev.txt packages/citepress/pyproject.toml requirements/build.in
compile dev --all-extras $pins packages/*/pyproject.toml requirements/dev.in
compile bench --extra payments $pins packages/citepress/pyproject.toml requirements/build.in requirements/bench.in
compile release requirements/release.in
