/** The lease of the leader as a row in PostgreSQL, over a connection of its own. */
import { claimBeat, READ_BEAT, raiseBeat, releaseLease } from "./log-table.ts";
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

  async read(): Promise<{ readonly beat: number; readonly isFree: boolean }> {
    const { rows } = await this.#session.query<{ beat: string; owner: string }>(
      READ_BEAT,
      this.#answerMs,
    );
    return { beat: Number(rows[0]?.beat), isFree: rows[0]?.owner === "" };
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
    await this.#session.query(releaseLease(owner), this.#answerMs);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
