/**
 * Connections that are open in all gateways, together and by client. The last quarter is for
 * clients that hold few: while connections are scarce, shares are smaller.
 */
import { createTableMemory, type Kind, NONE, SharedTable } from "./shared-table.ts";

const SCARCE_FROM = 0.75;
const SCARCE_UNTIL = 0.6;
/** The part of its share that a client may hold while connections are scarce. */
const SCARCE_SHARE = 1 / 8;
/** So that with all connections open each client finds a free place. */
const ROWS_PER_CONNECTION = 6;
const ROWS_MIN = 256;

const TOTAL_CELL = 0;
const OPEN_CELL = 1;
const SCARCE_CELL = 2;

const ALWAYS = Number.POSITIVE_INFINITY;
/** Rows end by a release and not by time. */
const NOW_MS = 0;

export interface ConnectionCounts {
  /** For `openConnectionCounts` in another thread. */
  readonly memory: SharedArrayBuffer;
  readonly total: number;
  /** In all gateways. */
  readonly open: number;
  readonly isScarce: boolean;
  /**
   * Takes a connection, or says that there is none for this client. `perClient` is a client's share
   * while connections are not scarce; null, of a client or a share, is no limit but the total.
   */
  take(client: string | null, perClient: number | null): ConnectionTaking;
  /** Gives back what `take` took. Whether connections are no longer scarce by this one. */
  release(client: string | null): boolean;
}

export interface ConnectionTaking {
  readonly isTaken: boolean;
  /** That was in force. */
  readonly share: number;
  /** By this one. */
  readonly becameScarce: boolean;
}

/** `hashKey` has 8 bytes that nobody can predict. */
export function createConnectionCounts(total: number, hashKey: Uint8Array): ConnectionCounts {
  const rows = Math.max(ROWS_MIN, 2 ** Math.ceil(Math.log2(total * ROWS_PER_CONNECTION)));
  const memory = createTableMemory(rows, hashKey);
  new SharedTable(memory).cells[TOTAL_CELL] = total;
  return openConnectionCounts(memory);
}

export function openConnectionCounts(memory: SharedArrayBuffer): ConnectionCounts {
  return new SharedConnectionCounts(new SharedTable(memory));
}

class SharedConnectionCounts implements ConnectionCounts {
  readonly memory: SharedArrayBuffer;
  readonly total: number;
  readonly #table: SharedTable;
  readonly #clients: RowCounts;

  constructor(table: SharedTable) {
    this.memory = table.memory;
    this.total = table.cells[TOTAL_CELL] as number;
    this.#table = table;
    this.#clients = new RowCounts(table, "client");
  }

  get open(): number {
    return Atomics.load(this.#table.cells, OPEN_CELL);
  }

  get isScarce(): boolean {
    return Atomics.load(this.#table.cells, SCARCE_CELL) === 1;
  }

  take(client: string | null, perClient: number | null): ConnectionTaking {
    const { cells, lock } = this.#table;
    lock.take();
    const isScarce = cells[SCARCE_CELL] === 1;
    const open = cells[OPEN_CELL] as number;
    const share = client === null ? ALWAYS : shareOf(perClient, isScarce);
    const isTaken = open < this.total && (client === null || this.#clients.add(client, share));
    const becameScarce = isTaken && !isScarce && open + 1 >= this.total * SCARCE_FROM;
    if (isTaken) cells[OPEN_CELL] = open + 1;
    if (becameScarce) cells[SCARCE_CELL] = 1;
    lock.give();
    return { isTaken, share: Math.min(share, this.total), becameScarce };
  }

  release(client: string | null): boolean {
    const { cells, lock } = this.#table;
    lock.take();
    const open = (cells[OPEN_CELL] as number) - 1;
    cells[OPEN_CELL] = open;
    if (client !== null) this.#clients.remove(client);
    const isOver = cells[SCARCE_CELL] === 1 && open < this.total * SCARCE_UNTIL;
    if (isOver) cells[SCARCE_CELL] = 0;
    lock.give();
    return isOver;
  }
}

function shareOf(perClient: number | null, isScarce: boolean): number {
  if (perClient === null) return ALWAYS;
  return isScarce ? Math.max(1, Math.floor(perClient * SCARCE_SHARE)) : perClient;
}

/** Counts of one kind in a table, which last until they are 0. Used under the table's lock. */
export class RowCounts {
  readonly #table: SharedTable;
  readonly #kind: Kind;

  constructor(table: SharedTable, kind: string) {
    this.#table = table;
    this.#kind = table.kind(kind);
  }

  of(key: string): number {
    const { hash } = this.#table;
    hash.of(key);
    const row = this.#table.find(hash.low ^ this.#kind.low, hash.high ^ this.#kind.high);
    return row === NONE ? 0 : (this.#table.counts[row] as number);
  }

  /** Counts one more, if there were fewer than `limit`. A key without a place gets none. */
  add(key: string, limit: number, nowMs = NOW_MS): boolean {
    const { counts, hash, untilMs } = this.#table;
    hash.of(key);
    const low = hash.low ^ this.#kind.low;
    const high = hash.high ^ this.#kind.high;
    const row = this.#table.placeOf(low, high, nowMs);
    if (row === NONE) return false;
    this.#table.claim(row, low, high);
    const count = counts[row] as number;
    if (count >= limit) return false;
    counts[row] = count + 1;
    untilMs[row] = ALWAYS;
    return true;
  }

  remove(key: string): void {
    const { counts, hash, untilMs } = this.#table;
    hash.of(key);
    const row = this.#table.find(hash.low ^ this.#kind.low, hash.high ^ this.#kind.high);
    if (row === NONE) throw new Error(`a count of ${key} is given back that nobody took`);
    const count = (counts[row] as number) - 1;
    counts[row] = count;
    if (count === 0) untilMs[row] = NOW_MS;
  }
}
