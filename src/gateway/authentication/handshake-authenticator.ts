/**
 * The gateway's part of a stream's handshake: the caller's address, the signature and the answer to
 * a refused one. As for a request, except for the signed text.
 */
import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import type { Refusal } from "../../api/errors.ts";
import { SIGNING_HEADERS } from "../../api/signing.ts";
import { STREAM_SIGNED_PATHS, type StreamPath } from "../../api/stream-paths.ts";
import { fromStreamProtocols } from "../../api/stream-protocols.ts";
import { type Accepted, accept } from "../../domain/index.ts";
import type { Caller } from "../endpoint.ts";
import { AddressRanges, clientAddress } from "../http/address.ts";
import { HttpErrors } from "../http/http-errors.ts";
import type { Clock } from "../http/ports.ts";
import { Authenticator, PUBLIC_CALLER } from "./authenticator.ts";
import type { KeyDirectory } from "./key-directory.ts";

const NO_BODY = Buffer.alloc(0);

export interface HandshakeAuthenticatorOptions {
  readonly keys: KeyDirectory;
  readonly clock: Clock;
  readonly trustedProxies: readonly string[];
}

export class HandshakeAuthenticator {
  readonly #keys: KeyDirectory;
  readonly #clock: Clock;
  readonly #authenticator: Authenticator;
  readonly #trusted: AddressRanges | null;
  readonly #errors: HttpErrors;

  /** Throws `RangeError` for a bad proxy range. */
  constructor({ keys, clock, trustedProxies }: HandshakeAuthenticatorOptions) {
    this.#keys = keys;
    this.#clock = clock;
    this.#authenticator = new Authenticator(keys, clock);
    this.#trusted = trustedProxies.length === 0 ? null : new AddressRanges(trustedProxies);
    this.#errors = new HttpErrors(clock, []);
  }

  addressOf(request: IncomingMessage): string {
    return clientAddress(request, this.#trusted);
  }

  identify(
    request: IncomingMessage,
    { access, dialect }: StreamPath,
    address: string,
  ): Accepted<Caller> | Refusal {
    if (access === null) return accept(PUBLIC_CALLER);
    const headers = signingHeaders(request.headers);
    const refusal = this.#authenticator.checkHeaders(headers);
    if (refusal !== null) return refusal;
    const target = STREAM_SIGNED_PATHS[dialect];
    const signed = { method: "", target, headers, body: NO_BODY, address };
    const identity = this.#authenticator.identify(signed, access);
    return identity.ok ? accept(identity.value.caller) : identity;
  }

  /** Whether the key that opened a connection is still valid. */
  isLive(apiKey: string): boolean {
    const record = this.#keys.find(apiKey);
    if (record === null) return false;
    return record.expiresAtMs === null || record.expiresAtMs > this.#clock.exchangeMs();
  }

  /** Exchange time at which the key of a connection expires; null never. */
  expiresAtMs(apiKey: string): number | null {
    return this.#keys.find(apiKey)?.expiresAtMs ?? null;
  }

  /** Refuses a handshake and ends its connection. */
  refuse(socket: Duplex, refusal: Refusal, { family }: StreamPath): void {
    this.#errors.endSocket(socket, refusal, family);
  }
}

/** There are two ways to sign; headers decide as soon as one of them is present. */
function signingHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  for (const name of Object.values(SIGNING_HEADERS)) {
    if (headers[name.toLowerCase()] !== undefined) return headers;
  }
  return fromStreamProtocols(headers["sec-websocket-protocol"] ?? "") ?? headers;
}
