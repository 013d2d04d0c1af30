# Celery workers of all queues. Build from the root of the checkout:
#   docker build -f deploy/images/worker.Dockerfile -t citevault-worker:0.1.0 .
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
# For the inner loops of fingerprints; it stays in this stage.
RUN apt-get update && apt-get install -y --no-install-recommends gcc libc6-dev && rm -rf /var/lib/apt/lists/*
COPY deploy/images/archive.lock deploy/images/build.lock /locks/
RUN python -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r /locks/build.lock \
 && python -m venv /opt/citevault && /opt/citevault/bin/pip install --require-hashes -r /locks/archive.lock
COPY pyproject.toml README.md ./
COPY schemas schemas
COPY workers workers
COPY scheduler scheduler
COPY validator validator
RUN /opt/build/bin/hatchling build -t wheel -d /wheels \
 && /opt/citevault/bin/pip install --no-deps /wheels/*.whl
# -P: what is installed, not what lies in /src. Without the library this stage fails, and no image comes out.
RUN /opt/citevault/bin/python -P -m workers.native

FROM python:3.11.14-slim-bookworm
RUN useradd --uid 10001 --no-create-home --home-dir /data --shell /usr/sbin/nologin citevault \
 && install -d -o citevault -g citevault -m 0700 /data /data/spool /metrics
COPY --from=build /opt/citevault /opt/citevault
COPY deploy/images/entrypoint.sh /usr/local/bin/citevault-entrypoint
ENV PATH=/opt/citevault/bin:$PATH PYTHONUNBUFFERED=1 PYTHONUTF8=1 OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 \
    CITEVAULT_DATA_DIR=/data
USER 10001:10001
WORKDIR /data
ENTRYPOINT ["citevault-entrypoint"]
# Celery stops warmly on SIGTERM: running tasks end, and a batch hands back what is left.
STOPSIGNAL SIGTERM
CMD ["python", "-m", "workers.tasks", "--queue", "capture", "--concurrency", "2"]
