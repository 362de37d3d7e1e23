/** One statement after the other, to whichever node is the primary. */
import type { Connecting, Statement, StatementResult } from "./connection.ts";
import { isDuplicateKey } from "./connection.ts";
import { findPrimary, type Primary, type Seen } from "./primary.ts";

export interface SessionOptions extends Connecting {
  /** Of all nodes, each the address of the same database. */
  readonly urls: readonly string[];
  /** The log must be of this one; null for any. */
  readonly venueId: string | null;
  readonly log: (level: "info" | "warn" | "error", message: string) => void;
}

export class PrimarySession {
  readonly #options: SessionOptions;
  #primary: Primary | null = null;
  #seen: Seen;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#seen = { timeline: 0, generation: 0, venueId: options.venueId };
  }

  /** Connected to the primary, found anew if need be. Rejects with `NoPrimary`. */
  async primary(): Promise<Primary> {
    if (this.#primary?.connection.isOpen) return this.#primary;
    const { urls, log } = this.#options;
    const primary = await findPrimary(urls, this.#seen, this.#options);
    const { place, timeline, venue } = primary;
    this.#primary = primary;
    this.#seen = { timeline, generation: venue.generation, venueId: venue.id };
    log("info", `${place} is the primary, on timeline ${timeline}`);
    return primary;
  }

  /** After a rejection other than of a duplicate key, the next one finds the primary anew. */
  async query<Row = never>(statement: Statement, timeoutMs: number): Promise<StatementResult<Row>> {
    const { connection } = await this.primary();
    try {
      return await connection.query<Row>(statement, timeoutMs);
    } catch (error) {
      if (!isDuplicateKey(error)) this.drop();
      throw error;
    }
  }

  drop(): void {
    this.#primary?.connection.destroy();
    this.#primary = null;
  }

  async close(): Promise<void> {
    await this.#primary?.connection.close().catch(() => undefined);
    this.#primary = null;
  }
}
