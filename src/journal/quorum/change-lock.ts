/**
 * A lock that one node of a cluster has at a time: an advisory lock of PostgreSQL, which ends with
 * its connection. Whoever reads settings and writes them back whole holds it meanwhile.
 *
 * It is no fence: when the primary is lost while a change is under way, another node may hold the
 * lock of the next primary. The log keeps both changes, one after the other, as ever.
 */
import type { Scheduler } from "../../platform/index.ts";
import type { Statement } from "./connection.ts";
import { PrimarySession, type SessionOptions } from "./primary-session.ts";

const ANSWER_MS = 1500;
const LOOK_MS = 20;
/** "rialto" in ASCII: one lock in a database. */
const LOCK = 0x7269616c746f;

/** A machine that vanished keeps it for some ten seconds. */
const TAKE: Statement = {
  name: "change-lock",
  text:
    "SELECT set_config('tcp_keepalives_idle', '5', false), " +
    "set_config('tcp_keepalives_interval', '2', false), " +
    "set_config('tcp_keepalives_count', '3', false), pg_try_advisory_lock($1) AS taken",
  values: [LOCK],
};
const RELEASE: Statement = {
  name: "change-unlock",
  text: "SELECT pg_advisory_unlock($1)",
  values: [LOCK],
};

export class ChangeLock {
  readonly #session: PrimarySession;
  readonly #scheduler: Scheduler;

  constructor(options: SessionOptions) {
    this.#session = new PrimarySession(options);
    this.#scheduler = options.scheduler;
  }

  /** Resolves with what releases it, or with null when it cannot be had within that time. */
  async take(withinMs: number): Promise<(() => Promise<void>) | null> {
    let isOver = false;
    const timer = this.#scheduler.after(withinMs, () => {
      isOver = true;
    });
    try {
      while (!isOver) {
        if (await this.#try()) return () => this.#release();
        await new Promise<void>((resolve) => this.#scheduler.after(LOOK_MS, resolve));
      }
      return null;
    } finally {
      timer.cancel();
    }
  }

  async #try(): Promise<boolean> {
    try {
      const { rows } = await this.#session.query<{ readonly taken: boolean }>(TAKE, ANSWER_MS);
      return rows[0]?.taken === true;
    } catch {
      // Another primary is looked for at the next try.
      return false;
    }
  }

  async #release(): Promise<void> {
    try {
      await this.#session.query(RELEASE, ANSWER_MS);
    } catch {
      // Its connection is destroyed, and the lock is free with it.
    }
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
