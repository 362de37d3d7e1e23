/**
 * The network of a client: `fetch` and `WebSocket` over simulated connections, what became of each
 * request, and how often it asked.
 */
import type { Duplex } from "node:stream";
import { WebSocket } from "ws";
import type { RialtoClientOptions } from "../../../src/client/index.ts";
import { type RawAnswer, readRaw, requestText, statusOf } from "../../support/inline-http.ts";
import { Breach } from "../breach.ts";
import { SOCKET_PATH } from "../entry.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { ClientConnection, refusedConnection, silentConnection } from "./client-connection.ts";
import type { ClientMachine } from "./client-machine.ts";
import { SubscriptionLog } from "./subscription-log.ts";

export const BASE_URL = "http://127.0.0.1";

/**
 * Requests and handshakes of one second: several steps and audits may take less than that, but
 * whoever asks again because it was answered sends any number.
 */
const SENT_PER_SECOND = 200;
/** From one handshake of a stream to the next at least. */
const HANDSHAKES_MS = 100;
/** Simulated time in which the other side answers the end of a WebSocket. */
const CLOSED_MS = 2_000;

/** Of the trading WebSocket, that are not answered. */
const IN_FLIGHT_MAX = 256;

type SocketClass = NonNullable<RialtoClientOptions["webSocket"]>;

/** What happens to one request. */
export interface RequestFault {
  readonly delayMs?: number;
  /** Turns of the event loop after which the connection breaks. */
  readonly cutAfterTurns?: number;
  /** The request arrives, and its answer does not. */
  readonly isDeaf?: boolean;
  /** It does not arrive either. */
  readonly isMute?: boolean;
  readonly isDoubled?: boolean;
}

/** A request that was sent, by the client's clock. */
export interface Attempt {
  readonly method: string;
  /** Without its query. */
  readonly path: string;
  readonly body: string | null;
  readonly sentMs: number;
  endedMs: number;
  /** The wall clock of the client's machine at its end. */
  wallMs: number;
  /** Null when no answer came. */
  answer: { readonly status: number; readonly text: string } | null;
  retryAfterMs: number;
  readonly fault: RequestFault;
}

interface RequestInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

export class ClientNetwork {
  readonly fetch: typeof fetch;
  readonly webSocket: SocketClass;
  /** Requests of calls that were not looked at yet. */
  attempts: Attempt[] = [];
  /** That cancel everything and were sent on the trading WebSocket in the present call. */
  messages = 0;
  /** Of the next requests. */
  faults: RequestFault[] = [];
  /** The first check that failed; from then on nobody is answered. */
  failure: Breach | null = null;
  /** That requests have asked for, in their order. */
  minSequences: number[] = [];
  /** What its streams have asked for. */
  readonly subscriptions: SubscriptionLog;
  /** The last command that an answer has named. */
  sequence = 0;
  /** Whether those that are half-open break before everything is checked, and not by a timeout. */
  breaksHalfOpen = false;
  readonly #exchange: SimulatedExchange;
  readonly #machine: ClientMachine;
  readonly #name: string;
  readonly #address: string;
  readonly #sockets = new Set<ClientConnection>();
  readonly #requests = new Set<ClientConnection>();
  #idle: ClientConnection[] = [];
  readonly #sentMs: number[] = [];
  /** By address, when a stream's last handshake began. */
  readonly #openedMs = new Map<string, number>();
  /** Of the next change of a book: it does not come, or comes twice. */
  nextChange: "lost" | "doubled" | null = null;
  /** Some change of a book was lost, or came twice. */
  hasLackedChange = false;
  /** Of the books that lack changes; others of the same connection do not. */
  levels = 15;
  /** Told behind each handshake. */
  onOpened: (url: string) => void = () => undefined;
  /** Of which a book knows nothing before the next one, or a comparison. */
  hasLostChange = false;
  /** What it sends was late once, or did not arrive. */
  hasDelayed = false;
  /** So many of the next subscriptions are refused for now, as by an exchange that is busy. */
  refusals = 0;
  /** So many of its next WebSockets are refused, as if nobody listened. */
  unreached = 0;

  constructor(exchange: SimulatedExchange, machine: ClientMachine, name: string) {
    this.#exchange = exchange;
    this.#machine = machine;
    this.#name = name;
    this.subscriptions = new SubscriptionLog(() => machine.monotonicMs());
    this.#address = exchange.newAddress();
    this.fetch = ((url: string, init: RequestInit) => this.#fetch(url, init)) as typeof fetch;
    this.webSocket = this.#socketClass();
  }

  /** That are open, but for those that only wait for another request. */
  get connections(): number {
    return this.#sockets.size + this.#requests.size;
  }

  get sockets(): readonly ClientConnection[] {
    return [...this.#sockets];
  }

  /** Of a book that was lost, or will be. */
  get mayLackChange(): boolean {
    return this.hasLostChange || this.nextChange !== null;
  }

  /** Something happens to what it sends. */
  get isDisturbed(): boolean {
    const isSlow = this.sockets.some(({ delayMs, isDeaf }) => delayMs > 0 || isDeaf);
    return isSlow || this.attempts.some(({ fault }) => Object.keys(fault).length > 0);
  }

  breakHalfOpen(): void {
    if (!this.breaksHalfOpen) return;
    for (const socket of this.sockets) if (socket.isDeaf) socket.destroy();
  }

  /** Another client begins, whose handshakes follow none. */
  beginAnew(): void {
    this.sequence = 0;
    this.#openedMs.clear();
  }

  dropIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.destroy();
  }

  /** Nobody is there any more. */
  end(): void {
    this.failure ??= new Breach("clients", "the network is gone");
    this.dropIdle();
    for (const connection of [...this.#sockets, ...this.#requests]) connection.destroy();
  }

  get #limited(): Readonly<Record<string, string>> {
    return this.#exchange.limits === null ? {} : { "X-Forwarded-For": this.#address };
  }

  /** Throws when nobody listens. */
  #connect(among: Set<ClientConnection>): ClientConnection {
    const { life } = this.#exchange;
    if (life.isOver || this.failure !== null) throw new TypeError("fetch failed");
    const connection = new ClientConnection(life.connect(), life.time);
    among.add(connection);
    connection.once("close", () => among.delete(connection));
    return connection;
  }

  /** False once it has asked too often. */
  #maySend(what: string): boolean {
    if (this.failure !== null) return false;
    const nowMs = this.#machine.monotonicMs();
    this.#sentMs.push(nowMs);
    while ((this.#sentMs[0] ?? nowMs) < nowMs - 1_000) this.#sentMs.shift();
    if (this.#sentMs.length <= SENT_PER_SECOND) return true;
    const text = `${this.#name} sends ${this.#sentMs.length} requests in a second, now ${what}`;
    this.#fail(new Breach("a client never spins", text));
    return false;
  }

  async #fetch(url: string, { body, headers, method, signal }: RequestInit): Promise<Response> {
    const target = url.slice(BASE_URL.length);
    const [path = ""] = target.split("?");
    // It stays as it is, and does not ask again.
    if (!this.#maySend(`${method} ${path}`)) return await new Promise(() => undefined);
    const fault = this.faults.shift() ?? {};
    const attempt: Attempt = {
      ...{ method, path, body: body ?? null, sentMs: this.#machine.monotonicMs() },
      ...{ endedMs: Number.NaN, wallMs: Number.NaN, answer: null, retryAfterMs: 0, fault },
    };
    this.attempts.push(attempt);
    const least = Number(headers["X-Rialto-Min-Sequence"] ?? Number.NaN);
    if (!Number.isNaN(least)) this.minSequences.push(least);
    this.#exchange.requests++;
    const sent = { method, path: target, headers: { ...headers, ...this.#limited } };
    const text = requestText(body === undefined ? sent : { ...sent, body });
    try {
      const raw = await this.#answerTo(text, fault, signal);
      const status = statusOf(raw);
      attempt.answer = { status, text: raw.text };
      const read = (name: string) => headerOf(raw, name);
      attempt.retryAfterMs = Number(read("retry-after") ?? 0) * 1_000;
      const sequence = Number(read("x-rialto-sequence") ?? 0);
      if (status === 200 && sequence < least) {
        const text = `${this.#name} ${path}: ${sequence} of ${least}`;
        this.#fail(new Breach("an answer shows the command that was asked for", text));
      }
      this.sequence = Math.max(this.sequence, sequence);
      const answer = { status, headers: { get: read }, text: async () => raw.text };
      return answer as unknown as Response;
    } finally {
      attempt.endedMs = this.#machine.monotonicMs();
      attempt.wallMs = this.#machine.nowMs();
    }
  }

  async #answerTo(text: string, fault: RequestFault, signal: AbortSignal): Promise<RawAnswer> {
    if (fault.isDoubled !== true) return await this.#once(text, fault, signal);
    const [first, second] = await Promise.allSettled([
      this.#once(text, fault, signal),
      this.#once(text, fault, signal),
    ]);
    // One of both is refused as a repetition, or has the answer of the other.
    const isSecond = second.status === "fulfilled" && statusOf(second.value) === 200;
    if (isSecond) return second.value;
    if (first.status === "fulfilled") return first.value;
    throw first.reason;
  }

  async #once(text: string, fault: RequestFault, signal: AbortSignal): Promise<RawAnswer> {
    const isPlain = Object.keys(fault).length === 0;
    this.#idle = this.#idle.filter(({ destroyed }) => !destroyed);
    const kept = isPlain ? this.#idle.pop() : undefined;
    const connection = kept ?? this.#connect(this.#requests);
    if (kept === undefined) connection.on("end", () => connection.destroy());
    this.#requests.add(connection);
    connection.delayMs = fault.delayMs ?? 0;
    connection.isDeaf = fault.isDeaf === true || fault.isMute === true;
    connection.isMute = fault.isMute === true;
    const { cutAfterTurns } = fault;
    if (cutAfterTurns !== undefined) inTurns(cutAfterTurns, () => connection.destroy());
    const answer = await answerOn(connection, text, signal);
    if (answer.isKept && isPlain && !connection.destroyed) {
      this.#requests.delete(connection);
      this.#idle.push(connection);
    } else connection.destroy();
    return answer;
  }

  #fail(breach: Breach): void {
    if (this.failure !== null) return;
    this.failure = breach;
    this.#exchange.life.fail(breach);
  }

  /** The trading WebSocket is opened whenever somebody calls. */
  #checkHandshake(url: string): void {
    const nowMs = this.#machine.monotonicMs();
    const waitedMs = nowMs - (this.#openedMs.get(url) ?? Number.NEGATIVE_INFINITY);
    this.#openedMs.set(url, nowMs);
    if (url.endsWith(SOCKET_PATH) || waitedMs >= HANDSHAKES_MS) return;
    const text = `${this.#name} ${url} after ${waitedMs} ms`;
    this.#fail(new Breach("a stream waits before it opens again", text));
  }

  #checkInFlight(count: number): void {
    if (count <= IN_FLIGHT_MAX) return;
    const text = `${this.#name}: ${count}`;
    this.#fail(new Breach("a client sends as many calls as are taken at once", text));
  }

  #fateOf(data: string): "lost" | "doubled" | null {
    if (this.nextChange === null || !isChange(data, this.levels)) return null;
    const fate = this.nextChange;
    this.nextChange = null;
    this.hasLackedChange = true;
    this.hasLostChange ||= fate === "lost";
    return fate;
  }

  #isRefused(data: string): boolean {
    if (this.refusals === 0 || !SUBSCRIPTION.test(data)) return false;
    this.refusals--;
    return true;
  }

  #checkReason(reason: string): void {
    if (this.hasDelayed || !reason.startsWith("no PONG")) return;
    this.#fail(new Breach("a client answers pings", `${this.#name}: ${reason}`));
  }

  #socketClass(): SocketClass {
    const connect = (): Duplex => {
      try {
        if (this.unreached > 0) this.unreached--;
        else if (this.#maySend("a handshake")) return this.#connect(this.#sockets);
      } catch {
        // Nobody listens.
      }
      // Who does not hear that it is refused does not try again at once.
      return this.failure === null ? refusedConnection() : silentConnection();
    };
    const headers = () => this.#limited;
    const opens = (url: string) => this.#checkHandshake(url);
    const opened = (url: string) => this.onOpened(url);
    const log = this.subscriptions;
    const inFlight = (count: number) => this.#checkInFlight(count);
    const fateOf = (data: unknown) => this.#fateOf(String(data));
    const later = (run: () => void) => this.#machine.bySystemAfter(CLOSED_MS, run);
    const isRefused = (data: string) => this.#isRefused(data);
    const left = (reason: string) => this.#checkReason(reason);
    const called = (data: string, end: () => void) => {
      if (CANCEL_ALL.test(data)) this.messages++;
      const { cutAfterTurns } = this.faults.shift() ?? {};
      if (cutAfterTurns !== undefined) inTurns(cutAfterTurns, end);
    };
    return class extends WebSocket {
      #unanswered = 0;

      constructor(url: string, protocols: string[] = []) {
        const createConnection = () => connect() as never;
        const options = { createConnection, perMessageDeflate: false, headers: headers() };
        super(url, protocols, options);
        opens(url);
        log.opened(url);
        this.on("error", () => undefined);
        this.on("close", (_, reason: Buffer) => left(String(reason)));
      }

      override emit(event: string | symbol, ...said: unknown[]): boolean {
        const fate = event === "message" ? fateOf(said[0]) : null;
        if (event === "message") {
          this.#unanswered--;
          log.heard(this.url, String(said[0]));
        }
        if (fate === "lost") return true;
        if (fate === "doubled") super.emit(event, ...said);
        const isHeard = super.emit(event, ...said);
        if (event === "open") opened(this.url);
        return isHeard;
      }

      override send(data: string): void {
        if (isRefused(data)) {
          log.refusedAtOnce(this.url, data);
          setImmediate(() => super.emit("message", Buffer.from(refusalOf(data)), false));
          return;
        }
        super.send(data);
        log.sent(this.url, data);
        this.#unanswered++;
        if (this.url.endsWith(SOCKET_PATH)) inFlight(this.#unanswered);
        if (CALL.test(data)) called(data, () => this.terminate());
      }

      override close(code?: number): void {
        super.close(code);
        later(() => this.terminate());
      }
    } as unknown as SocketClass;
  }
}

/** Of the trading WebSocket, but a logon. */
const CALL = /"method":"(contract\.)?(order|openOrders|account)\./;
const CANCEL_ALL = /"method":"[a-z.]*openOrders.cancelAll"/i;
const SUBSCRIPTION = /"method":"SUBSCRIBE"/;

function isChange(data: string, levels: number): boolean {
  return data.includes('"e":"depth"') && data.includes(`"l":${levels},`);
}

function refusalOf(data: string): string {
  const { id } = JSON.parse(data) as { readonly id: string };
  return JSON.stringify({ result: false, id, msg: "UNAVAILABLE: the exchange is busy, try again" });
}

function headerOf({ head }: RawAnswer, name: string): string | null {
  return new RegExp(`\r\n${name}: *([^\r]*)`, "i").exec(head)?.[1] ?? null;
}

/** After so many turns of the event loop: before a request is read, or before its answer is. */
function inTurns(turns: number, run: () => void): void {
  let left = turns;
  const turn = (): void => {
    if (left-- <= 0) run();
    else setImmediate(turn);
  };
  turn();
}

/** Rejects when the connection breaks first. */
function answerOn(
  connection: ClientConnection,
  text: string,
  signal: AbortSignal,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0);
    const stop = (): void => {
      connection.off("data", onData);
      connection.off("close", onClose);
      signal.removeEventListener("abort", onAbort);
    };
    const onData = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk]);
      const raw = readRaw(received);
      if (raw === null) return;
      stop();
      resolve(raw);
    };
    const onClose = (): void => {
      stop();
      reject(new TypeError("fetch failed"));
    };
    const onAbort = (): void => {
      stop();
      connection.destroy();
      reject(signal.reason);
    };
    connection.on("data", onData);
    connection.once("close", onClose);
    signal.addEventListener("abort", onAbort);
    if (signal.aborted) onAbort();
    else connection.write(text);
  });
}
