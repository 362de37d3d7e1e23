/** The lease of the leader as a row in PostgreSQL, over a connection of its own. */
import { claimBeat, handOverBeat, nameSuccessor, READ_BEAT, raiseBeat } from "./log-table.ts";
import { PrimarySession, type SessionOptions } from "./primary-session.ts";

interface LeaseRowOptions extends SessionOptions {
  /** Less than a lease lasts: who learns nothing in this time tries again. */
  readonly answerMs?: number;
}

const DEFAULT_ANSWER_MS = 1500;

/** Each call rejects when it is not known whether it was done. */
export class LeaseRow {
  readonly #session: PrimarySession;
  readonly #answerMs: number;

  constructor(options: LeaseRowOptions) {
    this.#session = new PrimarySession(options);
    this.#answerMs = options.answerMs ?? DEFAULT_ANSWER_MS;
  }

  async read(): Promise<{ readonly beat: number; readonly owner: string }> {
    const { rows } = await this.#session.query<{ readonly beat: string; readonly owner: string }>(
      READ_BEAT,
      this.#answerMs,
    );
    return { beat: Number(rows[0]?.beat), owner: rows[0]?.owner ?? "" };
  }

  /** Raises the beat of its owner, durably; false when the row has another owner. */
  async beat(owner: string): Promise<boolean> {
    return (await this.#session.query(raiseBeat(owner), this.#answerMs)).rowCount === 1;
  }

  /** Raises `seen` and becomes the owner, durably; false when the row has another beat. */
  async claim(owner: string, seen: number): Promise<boolean> {
    return (await this.#session.query(claimBeat(owner, seen), this.#answerMs)).rowCount === 1;
  }

  /** Frees the row of its owner, durably; does nothing when it has another owner. */
  async release(owner: string): Promise<void> {
    await this.handOver(owner, "");
  }

  /** Gives the lease to another run of a node; false when this one does not have it. */
  async handOver(owner: string, successor: string): Promise<boolean> {
    const statement = handOverBeat(owner, successor);
    return (await this.#session.query(statement, this.#answerMs)).rowCount === 1;
  }

  /** Asks whoever leads to hand over to the node of this name; empty: to nobody any more. */
  async nameSuccessor(node: string): Promise<void> {
    await this.#session.query(nameSuccessor(node), this.#answerMs);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
