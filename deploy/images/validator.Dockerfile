# The validator alone: the base install, no crawler, no Celery, no S3 client. From the root of the checkout:
#   docker build -f deploy/images/validator.Dockerfile -t citevault-validator:0.1.0 .
#   docker run --rm --network none --read-only -v "$PWD/bundle:/bundle:ro" citevault-validator:0.1.0 bundle /bundle --deep
FROM python:3.11.14-slim-bookworm AS build
WORKDIR /src
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1
COPY deploy/images/base.lock deploy/images/build.lock /locks/
RUN python -m venv /opt/build && /opt/build/bin/pip install --require-hashes -r /locks/build.lock \
 && python -m venv /opt/citevault && /opt/citevault/bin/pip install --require-hashes -r /locks/base.lock
COPY pyproject.toml README.md ./
COPY schemas schemas
COPY workers workers
COPY scheduler scheduler
COPY validator validator
RUN /opt/build/bin/hatchling build -t wheel -d /wheels \
 && /opt/citevault/bin/pip install --no-deps /wheels/*.whl

FROM python:3.11.14-slim-bookworm
RUN useradd --uid 10001 --no-create-home --home-dir / --shell /usr/sbin/nologin citevault
COPY --from=build /opt/citevault /opt/citevault
ENV PATH=/opt/citevault/bin:$PATH PYTHONUTF8=1
USER 10001:10001
WORKDIR /
ENTRYPOINT ["citevault-validate"]
CMD ["--help"]
