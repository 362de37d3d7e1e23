/**
 * A network on which a scene says what becomes of the next requests, handshakes and messages of a
 * client; whatever it says nothing of arrives and is answered.
 */
import { WebSocket } from "ws";
import type { RialtoClientOptions } from "../../../src/client/index.ts";
import { SOCKET_PATH } from "../entry.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { refusedConnection, silentConnection } from "./client-connection.ts";
import { type ClientMachine, inTurns } from "./client-machine.ts";
import { BASE_URL } from "./client-network.ts";

/** Of a request over HTTP. */
export type RequestFate =
  /** Nobody listens. */
  | "refused"
  /** It is carried out, and the connection breaks ahead of the answer, or nothing comes. */
  | "lost"
  | "silent"
  /** It does not arrive, and nothing comes. */
  | "mute"
  /** Somebody in between answers: too many requests, out of order, or with a page of his own. */
  | "limited"
  | "failed"
  | "page";

/** Of a connection of the trading WebSocket, up to its logon, which arrives when it is lost. */
export type HandshakeFate = "refused" | "silent" | "cut" | "lost";
/** Of a message: it arrives or does not, and the connection breaks or is silent. */
export type MessageFate = "cut" | "lost" | "silent" | "mute";

export interface SentRequest {
  readonly method: string;
  /** With its query. */
  readonly target: string;
  readonly least: number | null;
  readonly fate: RequestFate | null;
  /** The command that its answer names. */
  sequence: number | null;
}

interface RequestInit {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal: AbortSignal;
}

type SocketClass = NonNullable<RialtoClientOptions["webSocket"]>;

const PAGE = "<html><body>Bad Gateway</body></html>";
/** Of public calls and of the operator's. */
const LIMITED = { code: -1, msg: "slow down", error: { code: "slow", message: "slow down" } };
const REPEATED = /"code":-1047\b/;
const CLOSED_MS = 2_000;

export class ScriptedNetwork {
  readonly fetch: typeof fetch;
  readonly webSocket: SocketClass;
  readonly #exchange: SimulatedExchange;
  readonly #machine: ClientMachine;
  readonly #to: "public" | "operator";
  /** What becomes of the next ones. */
  requestFates: RequestFate[] = [];
  handshakeFates: HandshakeFate[] = [];
  messageFates: MessageFate[] = [];
  /** Of answers that there are too many requests. */
  retryAfterS = 0;
  requests: SentRequest[] = [];
  /** Methods of messages that were sent, but for logons. */
  messages: string[] = [];
  /** Handshakes that were begun. */
  handshakes = 0;
  /** Those whose logon had the timestamp of another one, and is made again at once. */
  repeatedLogons = 0;
  /** WebSockets that have not ended. */
  open = 0;
  /** Answers wait until somebody lets each of them go. */
  held: { readonly request: SentRequest; readonly go: () => void }[] | null = null;

  constructor(exchange: SimulatedExchange, machine: ClientMachine, to: "public" | "operator") {
    this.#exchange = exchange;
    this.#machine = machine;
    this.#to = to;
    this.fetch = ((url: string, init: RequestInit) => this.#fetch(url, init)) as typeof fetch;
    this.webSocket = this.#socketClass();
  }

  /** It forgets what was sent, and nothing happens to what comes next. */
  begin(): void {
    Object.assign(this, { requestFates: [], handshakeFates: [], messageFates: [] });
    Object.assign(this, { requests: [], messages: [], handshakes: 0, repeatedLogons: 0 });
  }

  async #fetch(url: string, { body, headers, method, signal }: RequestInit): Promise<Response> {
    const target = url.slice(BASE_URL.length);
    const fate = this.requestFates.shift() ?? null;
    const { "X-Rialto-Min-Sequence": named } = headers;
    const least = named === undefined ? null : Number(named);
    const request: SentRequest = { method, target, least, fate, sequence: null };
    this.requests.push(request);
    if (fate === "refused") throw new TypeError("fetch failed");
    if (fate === "mute") await aborted(signal);
    if (fate === "failed") return responseOf(502, PAGE, {});
    if (fate === "page") return responseOf(200, PAGE, {});
    if (fate === "limited") {
      const wait = { "retry-after": String(this.retryAfterS) };
      return responseOf(429, JSON.stringify(LIMITED), wait);
    }
    const sent = { method, path: target, headers, ...(body === undefined ? {} : { body }) };
    const answer = await this.#exchange.send(this.#to, sent);
    if (answer === null || fate === "lost") throw new TypeError("fetch failed");
    if (fate === "silent") await aborted(signal);
    request.sequence = answer.sequence ?? null;
    if (this.held !== null) await new Promise<void>((go) => this.held?.push({ request, go }));
    const { retryAfterS, sequence, status } = answer;
    return responseOf(status, JSON.stringify(answer.body), {
      ...(sequence === undefined ? {} : { "x-rialto-sequence": String(sequence) }),
      ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
    });
  }

  /** Every connection of the trading WebSocket breaks. */
  cut: () => void = () => undefined;

  #socketClass(): SocketClass {
    const network = this;
    const connect = (fate: HandshakeFate | null) => {
      if (fate === "refused") return refusedConnection();
      return fate === "silent" ? silentConnection() : network.#exchange.connect();
    };
    return class extends WebSocket {
      readonly #fate: HandshakeFate | null;
      #isDeaf = false;
      /** Its next answer never comes. */
      #isLost = false;

      constructor(url: string, protocols: string[] = []) {
        const fate = network.handshakeFates.shift() ?? null;
        const createConnection = () => connect(fate) as never;
        super(url, protocols, { createConnection, perMessageDeflate: false });
        this.#fate = fate;
        network.handshakes++;
        network.open++;
        if (!url.endsWith(SOCKET_PATH)) throw new Error(`a WebSocket to ${url}`);
        const before = network.cut;
        network.cut = () => {
          before();
          this.terminate();
        };
        this.on("error", () => undefined);
        this.on("close", () => network.open--);
      }

      override emit(event: string | symbol, ...said: unknown[]): boolean {
        if (event !== "message") return super.emit(event, ...said);
        if (this.#isLost) this.terminate();
        else if (REPEATED.test(String(said[0]))) network.repeatedLogons++;
        return this.#isLost || this.#isDeaf || super.emit(event, ...said);
      }

      override send(data: string): void {
        const { method } = JSON.parse(data) as { readonly method: string };
        const isLogon = method === "session.logon";
        if (!isLogon) network.messages.push(method);
        const fate = isLogon ? this.#fate : (network.messageFates.shift() ?? null);
        if (fate === "cut") void inTurns(1).then(() => this.terminate());
        if (fate === "lost") this.#isLost = true;
        if (fate === "silent" || fate === "mute") this.#isDeaf = true;
        if (fate !== "cut" && fate !== "mute") super.send(data);
      }

      override close(code?: number): void {
        super.close(code);
        network.#machine.bySystemAfter(CLOSED_MS, () => this.terminate());
      }
    } as unknown as SocketClass;
  }
}

function responseOf(
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): Response {
  const get = (name: string) => headers[name.toLowerCase()] ?? null;
  return { status, headers: { get }, text: async () => text } as unknown as Response;
}

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(signal.reason);
    signal.addEventListener("abort", end);
    if (signal.aborted) end();
  });
}
