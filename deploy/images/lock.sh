#!/bin/sh
# Cuts the locks of the images out of requirements.lock: the same versions and hashes, and only what each image needs.
# Run after `make lock`, from the root of the checkout, with `uv` on PATH.
set -eu
compile() {
  uv pip compile --universal --generate-hashes --python-version 3.11 --no-header --no-annotate --quiet \
    --no-emit-index-url -c requirements.lock "$@"
}
compile pyproject.toml -o deploy/images/base.lock
compile pyproject.toml --extra archive -o deploy/images/archive.lock
echo "hatchling>=1.27" | compile - -o deploy/images/build.lock
