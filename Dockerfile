# Rialto in a container: the compiled program under the Node of the image, as a user without rights.
#
#   docker build -t rialto .
#   docker run --read-only -p 127.0.0.1:8080:8080 -p 127.0.0.1:8081:8081 -v rialto:/data rialto
#
# docs/operating/in-a-container.md tells the rest.

FROM node:26.10.0-slim AS build
WORKDIR /opt/rialto
COPY package.json package-lock.json .npmrc ./
COPY build/pinned-node build/pinned-node
COPY build/test-postgres build/test-postgres
RUN npm ci
COPY src src
COPY build build
COPY docs/concepts docs/concepts
COPY docs/reference docs/reference
COPY rialto.mjs tsconfig.json LICENSE ./
RUN node build/run.ts

FROM node:26.10.0-slim
WORKDIR /opt/rialto
COPY package.json rialto.mjs LICENSE ./
COPY --from=build /opt/rialto/dist dist
# An image whose program cannot run is not built.
RUN node rialto.mjs --version \
  && mkdir /data /backup && chown node:node /data /backup && chmod 700 /data /backup
ENV RIALTO_HOST=0.0.0.0 \
  RIALTO_OPERATOR_HOST=0.0.0.0 \
  RIALTO_DATA_DIR=/data \
  RIALTO_PROFILE=empty
USER node
VOLUME /data
EXPOSE 8080 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`${JSON.parse(fs.readFileSync(`${process.env.RIALTO_DATA_DIR}/running.json`)).url}/health/live`).then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "rialto.mjs"]
CMD ["start"]
