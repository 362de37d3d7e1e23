/** What the streams of a client have asked for, as its network sees it. */
import type { StreamState } from "../../../src/client/index.ts";

interface Asked {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly sentMs: number;
  readonly isProbe: boolean;
}

interface Connection {
  readonly asked: Map<string, Asked>;
  readonly channels: Set<string>;
  /** That were refused for now, and are wanted. */
  readonly refused: Set<string>;
  /** Of which its readers have not been told that they missed events. */
  late: string | null;
  latencyMs: number | null;
}

interface Message {
  readonly method?: string;
  readonly params?: readonly string[];
  readonly id?: string;
  readonly result?: boolean;
  readonly msg?: string;
}

/** Of a channel that does not exist: a sign of life. */
const NO_CHANNEL = "-";
const REQUEST = /"method":"(UN)?SUBSCRIBE"|"method":"PONG"/;
const ANSWER = /"result":/;
const FOR_GOOD = "INVALID_ARGUMENT";

/** By address, of the last connection to it. */
export class SubscriptionLog {
  readonly #connections = new Map<string, Connection>();
  /** Addresses whose streams say that they are live. */
  readonly #live = new Set<string>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  opened(url: string): void {
    const nothing = { asked: new Map(), channels: new Set<string>(), refused: new Set<string>() };
    this.#connections.set(url, { ...nothing, late: null, latencyMs: null });
  }

  sent(url: string, data: string): void {
    if (!REQUEST.test(data)) return;
    const { id = "", method, params = [] } = JSON.parse(data) as Message;
    const isProbe = params[0] === NO_CHANNEL || (method === "PONG" && id !== "pong");
    const add = method === "SUBSCRIBE" ? params : [];
    const remove = method === "UNSUBSCRIBE" ? params : [];
    const asked = { add, remove, isProbe, sentMs: this.#nowMs() };
    const connection = this.#connections.get(url);
    connection?.asked.set(id, asked);
    for (const name of remove) connection?.refused.delete(name);
  }

  heard(url: string, data: string): void {
    if (!ANSWER.test(data)) return;
    const { id = "", msg = "", result } = JSON.parse(data) as Message;
    const connection = this.#connections.get(url);
    const asked = connection?.asked.get(id);
    if (connection === undefined || asked === undefined) return;
    connection.asked.delete(id);
    if (asked.isProbe) connection.latencyMs = this.#nowMs() - asked.sentMs;
    if (result !== true) {
      if (!msg.startsWith(FOR_GOOD)) this.#refused(connection, asked.add);
      return;
    }
    for (const name of asked.add) {
      connection.channels.add(name);
      const isLate = connection.refused.delete(name) && this.#live.has(new URL(url).pathname);
      if (isLate) connection.late = name;
    }
    for (const name of asked.remove) connection.channels.delete(name);
  }

  /** A subscription that did not reach the exchange. */
  refusedAtOnce(url: string, data: string): void {
    const { params = [] } = JSON.parse(data) as Message;
    const connection = this.#connections.get(url);
    if (connection !== undefined) this.#refused(connection, params);
  }

  #refused({ channels, refused }: Connection, names: readonly string[]): void {
    for (const name of names) if (!channels.has(name) && name !== NO_CHANNEL) refused.add(name);
  }

  /** The state that a stream has told. */
  told(path: string, { name, resumed }: Pick<StreamState, "name" | "resumed">): void {
    if (name === "live") this.#live.add(path);
    else this.#live.delete(path);
    const connection = this.#at(path);
    if (resumed && connection !== undefined) connection.late = null;
  }

  /** A channel that was accepted later than others, of which nobody was told. */
  untold(path: string): string | null {
    return this.#at(path)?.late ?? null;
  }

  /** That the exchange tells of. */
  channels(path: string): ReadonlySet<string> {
    return this.#at(path)?.channels ?? new Set();
  }

  latencyMs(path: string): number | null {
    return this.#at(path)?.latencyMs ?? null;
  }

  #at(path: string): Connection | undefined {
    for (const [url, connection] of this.#connections) {
      if (new URL(url).pathname === path) return connection;
    }
    return undefined;
  }
}
