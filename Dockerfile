# Ledgerhook in a container: the program and its locked dependencies on Debian, run by an unprivileged user.
# Build it with `docker build -t ledgerhook .`. Settings are environment variables. The embedded store, if used, is in
# /data.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
COPY dashboard/package.json dashboard/
# Keeps the embedded PostgreSQL. Removes the pinned Node, because the image has the same version.
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/node-linux-* node_modules/.bin

# The build's packages, Vite among them, stay out of the image.
FROM node:24.21.0-bookworm-slim AS dashboard
WORKDIR /app
COPY package.json package-lock.json .npmrc tsconfig.json ./
COPY dashboard dashboard
RUN npm ci --ignore-scripts --workspace dashboard
COPY tools tools
COPY schemas schemas
RUN node tools/dashboard.js

FROM node:24.21.0-bookworm-slim
# The workflow that publishes the image adds version, revision and source.
LABEL org.opencontainers.image.title="Ledgerhook" \
  org.opencontainers.image.description="Signed webhooks for the XRP Ledger" \
  org.opencontainers.image.licenses="Apache-2.0"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY --from=dashboard /app/dashboard/dist dashboard/dist
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY topics topics
COPY docs docs
COPY schemas schemas
# Creates links that the embedded PostgreSQL needs. The program's user could not write them later.
RUN node -e "import('/app/src/spine/store/embedded/Binaries.ts').then(({ findBinaries }) => findBinaries('/data'))" \
  && install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 8080
# Checks only that the process answers. /readyz says whether it is ready.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.OPS_PORT || process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/ledgerhook.js"]
CMD ["start"]
