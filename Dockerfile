# discreet as a program in a container: not the superuser, no network needed when it runs, nothing but Python and what
# constraints.txt names. It has not been built where discreet is developed, for want of a Docker daemon; a test lints it
# and runs its steps in a clean folder (make recipes). docs/containers.md says how to use it.
#
#   docker build -t discreet .
#   docker run --rm --network none -v "$PWD:/data" discreet protect bank.csv --policy bank.yaml --out release.csv

FROM python:3.11.14-slim-bookworm AS build
ARG EXTRAS=""
WORKDIR /source
COPY pyproject.toml constraints.txt README.md LICENSE ./
COPY src ./src
RUN python -m venv /opt/discreet \
 && /opt/discreet/bin/pip install --no-cache-dir --disable-pip-version-check -c constraints.txt ".${EXTRAS:+[$EXTRAS]}" \
 && /opt/discreet/bin/python -m compileall -q /opt/discreet/lib \
 && /opt/discreet/bin/pip uninstall --quiet --yes pip setuptools

FROM python:3.11.14-slim-bookworm
LABEL org.opencontainers.image.title="discreet" \
      org.opencontainers.image.description="Publish a table without giving its secrets away." \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/discreet /opt/discreet
# Whoever runs it (--user) may keep compiled loops in the cache; a volume keeps them for the next run.
RUN useradd --uid 10001 --no-create-home --shell /usr/sbin/nologin discreet \
 && install --directory --mode=1777 /var/cache/discreet /data
ENV PATH=/opt/discreet/bin:$PATH \
    HOME=/var/cache/discreet \
    NUMBA_CACHE_DIR=/var/cache/discreet/numba \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUTF8=1
USER 10001:10001
WORKDIR /data
# A program that ends, not a service: there is nothing whose health one could ask for.
HEALTHCHECK NONE
ENTRYPOINT ["discreet"]
CMD ["--help"]
