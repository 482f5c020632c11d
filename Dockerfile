# Ledgerhook in a container: the program and its locked dependencies on Debian, as a user without privileges.
# `docker build -t ledgerhook .`; settings come from the environment, the embedded store (if used) lives in /data.
FROM node:24.21.0-bookworm-slim AS dependencies
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# Of the optional dependencies the embedded PostgreSQL is wanted; the pinned Node is the image's own.
RUN npm ci --omit=dev --ignore-scripts && rm -r node_modules/node-linux-* node_modules/.bin

FROM node:24.21.0-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=8080 DATA_DIR=/data
WORKDIR /app
COPY --from=dependencies /app/node_modules node_modules
COPY package.json LICENSE ./
COPY bin bin
COPY src src
COPY topics topics
COPY schemas schemas
# Links that the embedded PostgreSQL needs beside it, and that the program's user may not write later.
RUN node -e "import('/app/src/storage/embedded/Binaries.ts').then(({ findBinaries }) => findBinaries())" \
  && install --directory --owner=node --group=node /data
USER node
VOLUME /data
EXPOSE 8080
# Lives as long as it answers; whether it is ready is what /readyz says.
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["/app/bin/ledgerhook.js"]
CMD ["start"]
