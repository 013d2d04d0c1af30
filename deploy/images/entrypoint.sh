#!/bin/sh
# Gives this container a folder of its own for metrics: their files are named by process id, and two containers have
# the same ids (deploy/decisions/0015).
set -eu
PROMETHEUS_MULTIPROC_DIR="/metrics/$(cat /proc/sys/kernel/hostname)"
CITEVAULT_METRICS_DIR="$PROMETHEUS_MULTIPROC_DIR"
export PROMETHEUS_MULTIPROC_DIR CITEVAULT_METRICS_DIR
mkdir -p "$PROMETHEUS_MULTIPROC_DIR"
exec "$@"
