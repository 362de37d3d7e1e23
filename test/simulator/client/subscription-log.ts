/** What the streams of a client have asked for, as its network sees it. */

interface Asked {
  readonly add: readonly string[];
  readonly remove: readonly string[];
  readonly sentMs: number;
  readonly isProbe: boolean;
}

interface Connection {
  readonly asked: Map<string, Asked>;
  readonly channels: Set<string>;
  latencyMs: number | null;
}

interface Message {
  readonly method?: string;
  readonly params?: readonly string[];
  readonly id?: string;
  readonly result?: boolean;
}

/** Of a channel that does not exist: a sign of life. */
const NO_CHANNEL = "-";
const REQUEST = /"method":"(UN)?SUBSCRIBE"|"method":"PONG"/;
const ANSWER = /"result":/;

/** By address, of the last connection to it. */
export class SubscriptionLog {
  readonly #connections = new Map<string, Connection>();
  readonly #nowMs: () => number;

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  opened(url: string): void {
    this.#connections.set(url, { asked: new Map(), channels: new Set(), latencyMs: null });
  }

  sent(url: string, data: string): void {
    if (!REQUEST.test(data)) return;
    const { id = "", method, params = [] } = JSON.parse(data) as Message;
    const isProbe = params[0] === NO_CHANNEL || (method === "PONG" && id !== "pong");
    const add = method === "SUBSCRIBE" ? params : [];
    const remove = method === "UNSUBSCRIBE" ? params : [];
    const asked = { add, remove, isProbe, sentMs: this.#nowMs() };
    this.#connections.get(url)?.asked.set(id, asked);
  }

  heard(url: string, data: string): void {
    if (!ANSWER.test(data)) return;
    const { id = "", result } = JSON.parse(data) as Message;
    const connection = this.#connections.get(url);
    const asked = connection?.asked.get(id);
    if (connection === undefined || asked === undefined) return;
    connection.asked.delete(id);
    if (asked.isProbe) connection.latencyMs = this.#nowMs() - asked.sentMs;
    if (result !== true) return;
    for (const name of asked.add) connection.channels.add(name);
    for (const name of asked.remove) connection.channels.delete(name);
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
