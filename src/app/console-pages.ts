/**
 * Serves the console, the built files of `src/console`: the gateway has the pages for traders and
 * affiliates, the operator API those for operators. The content security policy only allows this
 * host; pages get their data from the API like any client.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { CONTENT_POLICY } from "../gateway/pages/content-policy.ts";
import type { DemoAccount } from "../sandbox/index.ts";
import type { Config } from "./config.ts";
import { VERSION } from "./version.ts";

const FILES = join(import.meta.dirname, "../../dist/console");
const ASSETS_PREFIX = "/console/assets/";
const ASSETS_MAX_AGE = "365d";

/** Served when the console has not been built. */
const UNBUILT_PAGE =
  "<!doctype html><html lang=en><meta charset=utf-8><title>Rialto</title>" +
  "<h1>Rialto is running</h1><p>Its console was not built here. In the folder of Rialto, with " +
  "the development packages installed, run <code>npm run build</code> and reload this page. " +
  "<p>The API does not need it: <a href=/docs/>reference</a>.";

/** The first thing the console loads. */
interface VenueCard {
  readonly version: string;
  readonly profile: Config["profile"];
  readonly sandbox: boolean;
  /** Null for requests from other machines. */
  readonly operatorPort: number | null;
  /** With their keys, for requests from this machine; otherwise empty. */
  readonly demoAccounts: readonly DemoAccount[];
}

export interface TradingConsole {
  readonly config: Pick<Config, "demoKeys" | "host" | "profile" | "sandbox">;
  readonly demoAccounts: readonly DemoAccount[];
  /** Null until both servers listen. */
  readonly operatorPort: () => number | null;
}

const TRADING_PATHS = [
  "/",
  "/trade/spot/:symbol",
  "/trade/contract/:symbol",
  "/account",
  "/affiliate",
];
/** Where a mistyped address of a page ends: the page says that it is not there. */
const UNKNOWN_PATHS = ["/:page", "/trade/*", "/account/*", "/affiliate/*"];

/** Call before the server listens. */
export function serveTradingConsole(app: FastifyInstance, ports: TradingConsole): void {
  servePages(app, "index.html", TRADING_PATHS, UNKNOWN_PATHS);
  app.get("/console/venue", { config: { isPage: true } }, (request, reply) =>
    reply.header("Cache-Control", "no-store").send(venueCard(request, ports)),
  );
}

/** Call before the server listens. */
export function serveOperatorConsole(app: FastifyInstance): void {
  servePages(app, "operator.html", ["/"]);
}

function venueCard(request: FastifyRequest, ports: TradingConsole): VenueCard {
  const { config, demoAccounts, operatorPort } = ports;
  const { profile, sandbox } = config;
  const local =
    isLoopback(config.host) && isLoopback(hostOf(request)) && !isForwarded(request.headers);
  return {
    version: VERSION,
    profile,
    sandbox,
    operatorPort: local ? operatorPort() : null,
    demoAccounts: local && config.demoKeys === "on" ? demoAccounts : [],
  };
}

const FORWARDING_HEADERS = /^(forwarded|via|x-real-ip|x-forwarded|x-forwarded-.*)$/;

/** A proxy forwarded the request, perhaps with another Host, so it may come from any machine. */
function isForwarded(headers: FastifyRequest["headers"]): boolean {
  return Object.keys(headers).some((name) => FORWARDING_HEADERS.test(name));
}

/**
 * The Host header's name. Keys are only shown under a loopback name: otherwise a foreign page whose
 * name resolves to 127.0.0.1 could read them as same-origin.
 */
function hostOf({ headers }: FastifyRequest): string {
  return (headers.host ?? "").replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
}

function isLoopback(host: string): boolean {
  if (host === "localhost" || host === "::1") return true;
  return isIP(host) === 4 && host.startsWith("127.");
}

function servePages(
  app: FastifyInstance,
  entry: string,
  paths: readonly string[],
  unknownPaths: readonly string[] = [],
): void {
  const isBuilt = existsSync(join(FILES, entry));
  const page = isBuilt ? readFileSync(join(FILES, entry)) : UNBUILT_PAGE;
  for (const path of paths) {
    app.get(path, { config: { isPage: true } }, ({ raw }, reply) => {
      // The router accepts `GET *` for the root.
      if (raw.url?.startsWith("/") !== true) return reply.callNotFound();
      return asPage(reply).send(page);
    });
  }
  for (const path of unknownPaths) {
    app.get(path, { config: { isPage: true } }, ({ headers }, reply) => {
      // Programs get the API's error.
      if (headers.accept?.includes("text/html") !== true) return reply.callNotFound();
      return asPage(reply).code(404).send(page);
    });
  }
  if (isBuilt) serveAssets(app);
}

/** By a server of their own, which is made for the first of them: few exchanges show a page. */
function serveAssets(app: FastifyInstance): void {
  const root = join(FILES, "assets");
  const names = new Set(readdirSync(root));
  let opening: Promise<FastifyInstance> | null = null;
  app.route<{ Params: { readonly name: string } }>({
    method: ["GET", "HEAD"],
    url: `${ASSETS_PREFIX}:name`,
    // The operator API requires no token for its page.
    config: { isPage: true },
    handler: async ({ params, raw }, reply) => {
      if (!names.has(params.name)) return reply.callNotFound();
      opening ??= openAssets(root);
      const assets = await opening;
      reply.hijack();
      assets.routing(raw, reply.raw);
    },
  });
}

async function openAssets(root: string): Promise<FastifyInstance> {
  const { default: Fastify } = await import("fastify");
  const { default: fastifyStatic } = await import("@fastify/static");
  const assets = Fastify({ logger: false });
  assets.register(fastifyStatic, {
    root,
    prefix: ASSETS_PREFIX,
    index: false,
    preCompressed: true,
    immutable: true,
    maxAge: ASSETS_MAX_AGE,
    setHeaders: (reply) => reply.header("X-Content-Type-Options", "nosniff"),
  });
  await assets.ready();
  return assets;
}

function asPage(reply: FastifyReply): FastifyReply {
  return reply
    .header("Content-Type", "text/html; charset=utf-8")
    .header("Cache-Control", "no-cache")
    .header("Content-Security-Policy", CONTENT_POLICY)
    .header("X-Content-Type-Options", "nosniff")
    .header("Referrer-Policy", "no-referrer")
    .header("Cross-Origin-Opener-Policy", "same-origin");
}
