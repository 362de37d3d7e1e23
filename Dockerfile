# Rialto in a container: the same program under the Node that it pins, as a user without rights.
#
#   docker build -t rialto .
#   docker run -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 -v rialto:/data rialto
#
# docs/operating/in-a-container.md tells the rest.

FROM node:24-slim AS base
# The pinned Node is linked against it, and slim images leave it out.
RUN apt-get update \
  && apt-get install -y --no-install-recommends libatomic1 \
  && rm -rf /var/lib/apt/lists/*
WORKDIR /opt/rialto
COPY package.json package-lock.json .npmrc ./

FROM base AS packages
RUN npm ci --omit=dev

FROM base AS console
RUN npm ci
COPY src src
COPY build build
COPY tsconfig.json ./
RUN node_modules/.bin/node build/console.ts

FROM base
COPY --from=packages /opt/rialto/node_modules node_modules
COPY rialto.mjs strip-types.mjs LICENSE ./
COPY src src
COPY docs/concepts docs/concepts
COPY docs/reference docs/reference
COPY --from=console /opt/rialto/dist dist
# An image whose pinned Node cannot run is not built.
RUN node_modules/.bin/node src/cli/main.ts --version \
  && mkdir /data && chown node:node /data && chmod 700 /data
ENV RIALTO_HOST=0.0.0.0 \
  RIALTO_OPERATOR_HOST=0.0.0.0 \
  RIALTO_DATA_DIR=/data \
  RIALTO_PROFILE=empty
USER node
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.RIALTO_PORT || 8080}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "rialto.mjs"]
CMD ["start"]
