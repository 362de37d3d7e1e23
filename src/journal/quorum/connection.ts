/**
 * A connection to one PostgreSQL. Every statement has a time within which it is answered: a server
 * that is cut off never says so. The driver is known here alone.
 */
import type { Socket } from "node:net";
import { Client, DatabaseError } from "pg";
import type { Platform, Scheduler } from "../../platform/index.ts";

/** What connections need of the machine. */
export type Connecting = Pick<Platform, "network" | "scheduler">;

/** A statement; with a name it is prepared once per connection. */
export interface Statement {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly (string | number | Uint8Array | null)[];
}

export interface StatementResult<Row> {
  readonly rows: readonly Row[];
  readonly rowCount: number;
}

/**
 * PostgreSQL warned during a statement. It reports a cancelled wait for the quorum in this way, as
 * a success: the commit may exist on the primary alone.
 */
class WarnedStatement extends Error {
  override readonly name = "WarnedStatement";
}

/** Whether the statement failed because a row of its key exists. */
export function isDuplicateKey(error: unknown): boolean {
  return error instanceof DatabaseError && error.code === "23505";
}

const KEEP_ALIVE_MS = 5000;
const CLOSE_MS = 1000;
/**
 * Only warnings are sent, so that each one counts. No timeout of the server's for a statement: it
 * would cancel the wait of a commit. But a statement that waits for the lock of such a commit ends,
 * or each repetition would leave one more backend that waits.
 */
const SETTINGS =
  "SET client_min_messages = warning; SET statement_timeout = 0; SET lock_timeout = 1000; " +
  "SET idle_session_timeout = 0";

export class PostgresConnection {
  readonly #client: Client;
  readonly #socket: Socket;
  readonly #scheduler: Scheduler;
  #warning: string | null = null;
  #isOpen = true;

  private constructor(client: Client, socket: Socket, scheduler: Scheduler) {
    this.#client = client;
    this.#socket = socket;
    this.#scheduler = scheduler;
    client.on("notice", ({ message }) => {
      this.#warning = message ?? "a warning without text";
    });
    // A lost connection fails its statements.
    client.on("error", () => undefined);
    socket.once("close", () => {
      this.#isOpen = false;
    });
  }

  /** Rejects when there is none within `timeoutMs`. */
  static async open(
    url: string,
    { network, scheduler }: Connecting,
    timeoutMs: number,
  ): Promise<PostgresConnection> {
    const socket = network.socket();
    const client = new Client({
      connectionString: url,
      stream: () => socket,
      keepAlive: true,
      keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
    });
    const connection = new PostgresConnection(client, socket, scheduler);
    await connection.#within(timeoutMs, client.connect());
    await connection.query({ text: SETTINGS }, timeoutMs);
    return connection;
  }

  /** False once it is lost, also while nothing was asked. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** After a rejection other than of a duplicate key the connection is of no use: `destroy` it. */
  async query<Row>(statement: Statement, timeoutMs: number): Promise<StatementResult<Row>> {
    const { name, text, values = [] } = statement;
    this.#warning = null;
    const parameters = values.map((value) =>
      value instanceof Uint8Array
        ? Buffer.from(value.buffer, value.byteOffset, value.length)
        : value,
    );
    const isSimple = name === undefined && values.length === 0;
    const sent = isSimple
      ? this.#client.query<Row & object>(text)
      : this.#client.query<Row & object>({ text, values: parameters, ...(name ? { name } : {}) });
    const { rows, rowCount } = await this.#within(timeoutMs, sent);
    if (this.#warning !== null) throw new WarnedStatement(this.#warning);
    return { rows, rowCount: rowCount ?? 0 };
  }

  async #within<Value>(timeoutMs: number, promise: Promise<Value>): Promise<Value> {
    const late = Promise.withResolvers<never>();
    const timer = this.#scheduler.after(timeoutMs, () => {
      this.destroy();
      late.reject(new Error(`no answer within ${timeoutMs} ms`));
    });
    try {
      return await Promise.race([promise, late.promise]);
    } catch (error) {
      if (!isDuplicateKey(error)) this.destroy();
      throw error;
    } finally {
      timer.cancel();
    }
  }

  /** Cuts it, in whatever state it is. */
  destroy(): void {
    this.#socket.destroy();
  }

  async close(): Promise<void> {
    await this.#within(CLOSE_MS, this.#client.end());
  }
}
