# Thoth's server: `thoth up` against the PostgreSQL that DATABASE_URL names. See docker-compose.yml.
FROM python:3.13-slim-bookworm AS build
WORKDIR /src
RUN python -m venv /opt/thoth
COPY requirements.lock ./
# The lock's versions, for what is needed at run time only: the package itself decides which of them those are.
RUN grep -E '^[a-z0-9]' requirements.lock | sed 's/ *\\$//' > constraints.txt
COPY pyproject.toml README.md LICENSE ./
COPY thoth_substrate thoth_substrate
COPY workers workers
COPY migrations migrations
RUN /opt/thoth/bin/pip install --no-cache-dir --disable-pip-version-check --constraint constraints.txt .

FROM python:3.13-slim-bookworm
RUN useradd --system --create-home --home-dir /var/lib/thoth --uid 10001 thoth \
    && install -d -o thoth -m 700 /var/lib/thoth/home
COPY --from=build /opt/thoth /opt/thoth
ENV PATH=/opt/thoth/bin:$PATH PYTHONUNBUFFERED=1 THOTH_HOME=/var/lib/thoth/home
USER thoth
VOLUME /var/lib/thoth/home
STOPSIGNAL SIGTERM
ENTRYPOINT ["thoth"]
CMD ["up"]
