# Forebay in a container: nothing but Python, the locked dependencies and the package.
# It runs as 10001 on a read-only root file system; what it keeps goes below /var/lib/forebay, its
# socket and temporary files below /tmp. The configuration is mounted at /etc/forebay/config.yaml.

FROM python:3.11.14-slim-bookworm AS build
WORKDIR /build
RUN python -m venv /opt/forebay
COPY requirements.lock ./
# Wheels only: the image has no compiler, and a source distribution would run code while it is built.
RUN /opt/forebay/bin/pip install --no-cache-dir --only-binary=:all: --require-hashes -r requirements.lock
COPY pyproject.toml README.md LICENSE ./
COPY policies policies
COPY proxy proxy
RUN /opt/forebay/bin/pip install --no-cache-dir --no-deps --no-build-isolation . \
    && /opt/forebay/bin/pip uninstall --yes setuptools pip

FROM python:3.11.14-slim-bookworm
LABEL org.opencontainers.image.title="forebay" \
      org.opencontainers.image.description="An OpenAI-compatible proxy that keeps LLM agents inside their token budget" \
      org.opencontainers.image.licenses="Apache-2.0"
RUN install -d -m 0700 -o 10001 -g 10001 /var/lib/forebay
COPY --from=build /opt/forebay /opt/forebay
ENV PATH=/opt/forebay/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    PYTHONDONTWRITEBYTECODE=1 \
    FOREBAY_CONFIG=/etc/forebay/config.yaml
# Relative paths of the configuration start here.
WORKDIR /var/lib/forebay
VOLUME /var/lib/forebay
USER 10001:10001
EXPOSE 8080 8081
HEALTHCHECK --interval=10s --timeout=3s --start-period=30s --retries=3 \
    CMD ["python", "-c", "import http.client as h; c = h.HTTPConnection('127.0.0.1', 8081, timeout=2); c.request('GET', '/healthz'); raise SystemExit(c.getresponse().status != 200)"]
ENTRYPOINT ["forebay"]
CMD ["serve"]
