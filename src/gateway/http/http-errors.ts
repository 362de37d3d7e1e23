/**
 * Answers to what matches no route: unknown paths, other methods, unreadable URLs and messages.
 * They take the form of the path's family, or of v2.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import type { Family } from "../../api/calls.ts";
import { familyOfPath, type Refusal, type RefusalReason, refuse } from "../../api/errors.ts";
import { pathsOf, ROUTES } from "../../api/routes.ts";
import { SOCKET_PATH } from "../../api/socket-calls.ts";
import { streamPathOf } from "../../api/stream-paths.ts";
import type { Clock } from "./ports.ts";
import { errorBody, errorStatus, JSON_CONTENT_TYPE, RETRY_AFTER_SECONDS } from "./reply.ts";

/** Methods of each known path, for the Allow header. */
function methodsByPath(pages: readonly string[]): ReadonlyMap<string, string> {
  const methods = new Map<string, Set<string>>(pages.map((path) => [path, new Set(["GET"])]));
  for (const route of ROUTES) {
    for (const path of pathsOf(route)) {
      methods.set(path, (methods.get(path) ?? new Set()).add(route.method));
    }
  }
  return new Map([...methods].map(([path, set]) => [path, [...set].join(", ")]));
}

/** Errors of Node's HTTP parser; any other one means malformed HTTP. */
const SOCKET_ERRORS: Readonly<Record<string, RefusalReason>> = {
  HPE_HEADER_OVERFLOW: "headers-too-large",
  HPE_CHUNK_EXTENSIONS_OVERFLOW: "headers-too-large",
  ERR_HTTP_REQUEST_TIMEOUT: "request-timeout",
};

/** An error of a socket, with the bytes that could not be parsed, if any. */
export interface SocketError extends Error {
  readonly code?: string | undefined;
  readonly rawPacket?: unknown;
}

/** Statuses that carry Retry-After. */
const MAY_BE_REPEATED: ReadonlySet<number> = new Set([429, 503]);

const REQUEST_LINE_START = /^[A-Z]{3,7} (\/[^ ?]{0,200})/;

/** The path, if the bytes begin like a request: an oversized head still names it. */
function pathIn(bytes: unknown): string {
  const start = bytes instanceof Uint8Array ? Buffer.from(bytes.subarray(0, 256)) : Buffer.of();
  return REQUEST_LINE_START.exec(start.toString("latin1"))?.[1] ?? "";
}

export class HttpErrors {
  readonly #clock: Clock;
  readonly #methods: ReadonlyMap<string, string>;

  /** `pages` are the GET paths that are not in the route table. */
  constructor(clock: Clock, pages: readonly string[]) {
    this.#clock = clock;
    this.#methods = methodsByPath(pages);
  }

  /** An unknown path or method. Returns the status, for the metrics. */
  answerUnrouted(request: IncomingMessage, response: ServerResponse): number {
    const path = (request.url ?? "").split("?", 1)[0] ?? "";
    const stream = streamPathOf(path);
    if (stream !== null) return this.#answerAtStream(request, response, stream.family);
    if (path === SOCKET_PATH) return this.#answerAtStream(request, response, "v3");
    const allowed = this.#methods.get(path);
    if (allowed === undefined) return this.answer(path, response, refuse("unknown-path"));
    response.setHeader("Allow", allowed);
    return this.answer(path, response, refuse("method-not-allowed", null, `use ${allowed}`));
  }

  answer(
    path: string,
    response: ServerResponse,
    refusal: Refusal,
    family: Family = familyOfPath(path),
  ): number {
    const body = errorBody({ family }, refusal, this.#clock.exchangeMs());
    const status = errorStatus(family, refusal);
    response.writeHead(status, {
      "Content-Type": JSON_CONTENT_TYPE,
      "Content-Length": Buffer.byteLength(body),
      "X-USED-WEIGHT-10S": 0,
    });
    response.end(body);
    return status;
  }

  /** A plain request where a handshake is expected. */
  #answerAtStream(request: IncomingMessage, response: ServerResponse, family: Family): number {
    if (request.method === "GET") {
      response.setHeader("Upgrade", "websocket");
      response.setHeader("Connection", "Upgrade");
      return this.answer("", response, refuse("upgrade-required"), family);
    }
    response.setHeader("Allow", "GET");
    return this.answer("", response, refuse("method-not-allowed", null, "use GET"), family);
  }

  /** Answers bytes that are no HTTP request once, then ends the connection. */
  answerSocket(error: SocketError, socket: Duplex): void {
    if (error.code === "ECONNRESET" || !socket.writable) {
      socket.destroy();
      return;
    }
    const refusal = refuse(SOCKET_ERRORS[error.code ?? ""] ?? "malformed-request");
    this.endSocket(socket, refusal, familyOfPath(pathIn(error.rawPacket)));
  }

  endSocket(socket: Duplex, refusal: Refusal, family: Family = "v2"): void {
    const body = errorBody({ family }, refusal, this.#clock.exchangeMs());
    const status = errorStatus(family, refusal);
    const retryAfter = MAY_BE_REPEATED.has(status) ? `Retry-After: ${RETRY_AFTER_SECONDS}\r\n` : "";
    socket.end(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: ${JSON_CONTENT_TYPE}\r\n` +
        retryAfter +
        `Content-Length: ${Buffer.byteLength(body)}\r\nX-USED-WEIGHT-10S: 0\r\n` +
        `Connection: close\r\n\r\n${body}`,
    );
  }
}
