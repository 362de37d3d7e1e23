/**
 * One POST with a deadline, whatever the other side does. The head of the answer decides; its body
 * is not read, and redirects are not followed.
 */
import { request as plainRequest, type RequestOptions } from "node:http";
import { request as tlsRequest } from "node:https";
import { isIP, type LookupFunction, type Socket } from "node:net";
import type { Lookup, Network, Platform } from "../platform/index.ts";
import { mayConnect, type WebhookTargets } from "./targets.ts";

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Ends the request at once. */
  readonly signal: AbortSignal;
}

/** The status of the answer, or why there was none. */
export type PostOutcome = { readonly status: number } | { readonly error: string };

export type Post = (request: PostRequest) => Promise<PostOutcome>;

interface PostOptions {
  readonly timeoutMs?: number;
  readonly lookup?: Lookup;
}

const TIMEOUT_MS = 10_000;
const HEADER_BYTES_MAX = 16 * 1024;
const ERROR_LENGTH_MAX = 200;

export function createPost(
  targets: WebhookTargets,
  { network, scheduler }: Pick<Platform, "network" | "scheduler">,
  { timeoutMs = TIMEOUT_MS, lookup = network.lookup }: PostOptions = {},
): Post {
  return ({ url: text, headers, body, signal }) => {
    const url = new URL(text);
    const host = url.hostname.replace(/^\[|\]$/g, "");
    if (isIP(host) !== 0 && !mayConnect(url, host, targets)) {
      return Promise.resolve({ error: `${host} is not a public address` });
    }
    return new Promise((resolve) => {
      const isTls = url.protocol === "https:";
      const send = isTls ? tlsRequest : plainRequest;
      const request = send(url, {
        method: "POST",
        // No connection is kept: one that the other side closed meanwhile would fail a delivery.
        ...(isTls ? { agent: false } : { createConnection: connectionOf(network) }),
        headers: { ...headers, "content-length": String(Buffer.byteLength(body)) },
        lookup: checkedLookup(url, targets, lookup),
        maxHeaderSize: HEADER_BYTES_MAX,
      });
      const end = (outcome: PostOutcome) => {
        deadline.cancel();
        signal.removeEventListener("abort", abort);
        resolve(outcome);
        request.destroy();
      };
      const abort = () => end({ error: "stopped" });
      const deadline = scheduler.after(
        timeoutMs,
        () => end({ error: `no answer within ${timeoutMs / 1000} s` }),
        "background",
      );
      signal.addEventListener("abort", abort);
      request.on("response", ({ statusCode = 0 }) => end({ status: statusCode }));
      request.on("upgrade", () => end({ error: "the answer is no HTTP response" }));
      request.on("error", (error) => end({ error: errorText(error) }));
      if (signal.aborted) abort();
      else request.end(body);
    });
  };
}

/** TLS connects by itself; a plain connection is one of the network's. */
function connectionOf(network: Network) {
  return ({ host, lookup, port }: RequestOptions): Socket =>
    network.socket().connect({ host: host ?? "", port: Number(port), lookup });
}

function errorText(error: Error & { readonly code?: string }): string {
  const { code, message } = error;
  const known = code !== undefined && !message.includes(code) ? `${code}: ${message}` : message;
  // What a library says of a broken answer may quote it.
  return known.replaceAll(/[^ -~]/g, " ").slice(0, ERROR_LENGTH_MAX);
}

/** Resolves a name as usual, and fails at an address to which it may not lead. */
function checkedLookup(url: URL, targets: WebhookTargets, lookup: Lookup): LookupFunction {
  return (hostname, options, answer) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) return answer(error, "");
      const refused = addresses.find(({ address }) => !mayConnect(url, address, targets));
      const [first] = addresses;
      if (refused !== undefined || first === undefined) {
        return answer(new Error(`${hostname} resolves to an address that is not public`), "");
      }
      if (options.all === true) return answer(null, addresses);
      return answer(null, first.address, first.family);
    });
  };
}
