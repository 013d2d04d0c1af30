#!/usr/bin/env bash
# What the action runs: one check, in three forms. Everything comes by environment, so that no input becomes a command.
set -euo pipefail

folder="${RUNNER_TEMP:-$(mktemp -d)}/citevault"
mkdir -p "$folder"
arguments=(bundle "$BUNDLE" --profile "${PROFILE:-claim}")
if [ "${DEEP:-true}" = true ]; then arguments+=(--deep); fi
while IFS= read -r file; do if [ -n "$file" ]; then arguments+=(--trust "$file"); fi; done <<<"${TRUST:-}"
while IFS= read -r file; do if [ -n "$file" ]; then arguments+=(--trust-author "$file"); fi; done <<<"${TRUST_AUTHOR:-}"

code=0
citevault-validate "${arguments[@]}" || code=$?
echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
if [ "$code" != 2 ]; then
  for form in sarif junit; do
    citevault-validate "${arguments[@]}" --format "$form" --output "$folder/report.$form" || test $? = "$code"
    echo "$form=$folder/report.$form" >>"${GITHUB_OUTPUT:-/dev/null}"
  done
fi
if [ "$code" = 3 ] && [ "${ALLOW_INCONCLUSIVE:-false}" = true ]; then code=0; fi
exit "$code"
