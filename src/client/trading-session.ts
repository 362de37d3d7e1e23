/**
 * One connection of the trading WebSocket, from its handshake to its end: the logon, messages and
 * the answers that belong to them by id.
 */

import { SIGNING_HEADERS } from "../api/signing.ts";
import { SOCKET_PATH, SOCKET_SIGNED_METHOD } from "../api/socket-calls.ts";
import type { Signer } from "./credentials.ts";
import type { ClientRuntime, SocketClass } from "./runtime.ts";

export interface SessionOptions {
  readonly socketClass: SocketClass;
  readonly runtime: ClientRuntime;
  readonly url: string;
  /** Without one only public methods are open. */
  readonly signer: Signer | null;
  /** A different one for every logon: each is good for once. */
  readonly timestampMs: () => number;
  /** Of the handshake and the logon. */
  readonly timeoutMs: number;
}

export interface SocketAnswer {
  readonly status: number;
  readonly result?: unknown;
  readonly error?: {
    readonly code: number;
    readonly msg: string;
    readonly retryAfterMs?: number;
  };
}

/** Why there is no answer. Only what was sent may have taken effect. */
export interface NoAnswer {
  readonly why: string;
  readonly wasSent: boolean;
}

const NORMAL_CLOSE = 1000;
/** The exchange refuses more. */
const IN_FLIGHT_MAX = 256;

type Outcome = SocketAnswer | NoAnswer;

export class TradingSession {
  /** The answer to the logon, or why there is none; a success without a signer. */
  readonly opened: Promise<Outcome>;
  readonly #socket: WebSocket;
  readonly #options: SessionOptions;
  readonly #pending = new Map<number, (outcome: Outcome) => void>();
  /** Messages that wait for room, in their order. */
  readonly #queue: (() => void)[] = [];
  readonly #cancelOpenTimer: () => void;
  #resolveOpened: (outcome: Outcome) => void = () => undefined;
  #nextId = 1;
  #end: string | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.opened = new Promise((resolve) => {
      this.#resolveOpened = resolve;
    });
    const { runtime, socketClass, timeoutMs, url } = options;
    const socket = new socketClass(url);
    this.#socket = socket;
    this.#cancelOpenTimer = runtime.after(timeoutMs, () => {
      this.end(`no logon in ${timeoutMs} ms`);
    });
    socket.addEventListener("open", () => void this.#logOn());
    socket.addEventListener("message", ({ data }) => this.#receive(data));
    socket.addEventListener("error", () => this.end("the connection failed"));
    socket.addEventListener("close", ({ code, reason }) => {
      this.end(reason === "" ? `the connection ended (${code})` : `${reason} (${code})`);
    });
  }

  get isOver(): boolean {
    return this.#end !== null;
  }

  /**
   * Ends the whole connection if no answer comes in time: later ones would not come either. A
   * caller that no longer waits is answered to nobody.
   */
  ask(method: string, params: object, timeoutMs: number): Promise<Outcome> {
    return new Promise((resolve) => {
      const send = (): void => {
        if (this.#end !== null) {
          resolve({ why: this.#end, wasSent: false });
          return;
        }
        const id = this.#nextId++;
        const cancel = this.#options.runtime.after(timeoutMs, () => {
          this.end(`no answer in ${timeoutMs} ms`);
        });
        this.#pending.set(id, (outcome) => {
          cancel();
          resolve(outcome);
        });
        this.#socket.send(JSON.stringify({ id, method, params }));
      };
      if (this.#pending.size < IN_FLIGHT_MAX) send();
      else this.#queue.push(send);
    });
  }

  end(why: string): void {
    if (this.#end !== null) return;
    this.#end = why;
    this.#cancelOpenTimer();
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const resolve of pending) resolve({ why, wasSent: true });
    for (const send of this.#queue.splice(0)) send();
    this.#resolveOpened({ why, wasSent: false });
    const { CONNECTING, OPEN } = this.#options.socketClass;
    if (this.#socket.readyState === OPEN || this.#socket.readyState === CONNECTING) {
      this.#socket.close(NORMAL_CLOSE);
    }
  }

  async #logOn(): Promise<void> {
    const { signer, timeoutMs, timestampMs } = this.#options;
    let outcome: Outcome = { status: 200 };
    if (signer !== null) {
      try {
        const signed = await signer.headers(timestampMs(), SOCKET_SIGNED_METHOD, SOCKET_PATH, "");
        outcome = await this.ask("session.logon", paramsOf(signed), timeoutMs);
      } catch (error) {
        this.end(`signing failed: ${String(error)}`);
      }
    }
    this.#cancelOpenTimer();
    this.#resolveOpened(outcome);
  }

  #receive(data: unknown): void {
    const answer = read(data);
    if (answer === null) {
      this.end("a message that is no answer of an exchange");
      return;
    }
    const resolve = this.#pending.get(answer.id);
    this.#pending.delete(answer.id);
    resolve?.(answer);
    this.#queue.shift()?.();
  }
}

function paramsOf(signed: Readonly<Record<string, string>>): object {
  return {
    apiKey: signed[SIGNING_HEADERS.key],
    passphrase: signed[SIGNING_HEADERS.passphrase],
    timestamp: signed[SIGNING_HEADERS.timestamp],
    signature: signed[SIGNING_HEADERS.sign],
  };
}

/** Null for anything but an answer. */
function read(data: unknown): (SocketAnswer & { readonly id: number }) | null {
  if (typeof data !== "string") return null;
  try {
    const { id, status, error } = JSON.parse(data) as Partial<SocketAnswer & { id: number }>;
    const isRefusal = typeof error?.code === "number" && typeof error.msg === "string";
    const isAnswer = typeof id === "number" && typeof status === "number";
    return isAnswer && (status === 200 || isRefusal) ? JSON.parse(data) : null;
  } catch {
    return null;
  }
}
