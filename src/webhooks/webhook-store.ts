/**
 * `webhooks.db` in the data folder: the secret of each webhook, how far it was told, and its last
 * deliveries. A position may be older than the truth after a power cut, never newer: what was
 * delivered is then delivered again. A backup has no such file, so a restored copy sends nothing
 * until an operator gives its webhooks new secrets.
 */
import { chmodSync, closeSync, existsSync, openSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync, type StatementSync } from "node:sqlite";

const FILE = "webhooks.db";
const OWNER_ONLY_MODE = 0o600;
/** Kept of each webhook. */
export const DELIVERIES_MAX = 1_000;

const SCHEMA = `
  PRAGMA journal_mode = WAL;
  PRAGMA synchronous = NORMAL;
  PRAGMA secure_delete = ON;
  PRAGMA trusted_schema = OFF;
  CREATE TABLE IF NOT EXISTS webhooks (
    webhook_id TEXT PRIMARY KEY,
    secret TEXT NOT NULL,
    position INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS going_back (
    webhook_id TEXT PRIMARY KEY,
    sequence INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS deliveries (
    webhook_id TEXT NOT NULL,
    delivery_id INTEGER NOT NULL,
    time_ms INTEGER NOT NULL,
    kind TEXT NOT NULL,
    first_number INTEGER NOT NULL,
    last_number INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    duration_ms INTEGER NOT NULL,
    PRIMARY KEY (webhook_id, delivery_id)
  ) STRICT, WITHOUT ROWID;
`;

export const DELIVERY_KINDS = ["events", "redelivery", "test"] as const;
export type DeliveryKind = (typeof DELIVERY_KINDS)[number];

export interface Delivery {
  /** From 1 for each webhook. */
  readonly deliveryId: number;
  /** Wall clock. */
  readonly timeMs: number;
  readonly kind: DeliveryKind;
  /** The numbers of the events; 0 of a test. */
  readonly firstNumber: number;
  readonly lastNumber: number;
  /** 1 for the first. */
  readonly attempt: number;
  /** Of the answer; null without one. */
  readonly status: number | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/** What is known of a webhook besides its settings. */
export interface KnownWebhook {
  readonly secret: string;
  /** The number of the last event that was delivered. */
  readonly position: number;
  /** The venue goes back to this command: what was delivered of later ones never happened. */
  readonly backToSequence: number | null;
}

/** Where secrets, positions and deliveries are. */
export interface WebhookRecords {
  find(webhookId: string): KnownWebhook | null;
  /** Durable when it resolves. */
  put(webhookId: string, known: Omit<KnownWebhook, "backToSequence">): Promise<void>;
  moveTo(webhookId: string, position: number): Promise<void>;
  remove(webhookId: string): Promise<void>;
  /** Numbers it, and forgets the oldest one beyond what is kept. */
  note(webhookId: string, delivery: Omit<Delivery, "deliveryId">): Promise<Delivery>;
  /** Those before one, newest first. */
  deliveries(webhookId: string, beforeId: number, limit: number): Promise<readonly Delivery[]>;
  /**
   * Before the venue goes back, so that a crash in between delivers again rather than never.
   * Durable when it returns.
   */
  goBack(sequence: number): void;
  /** The number of the last event that still happened is known. */
  wentBack(webhookId: string, position: number): void;
}

/** The file appears with the first webhook. */
export class WebhookStore implements WebhookRecords {
  readonly #path: string;
  #database: DatabaseSync | null;
  /** By their text: what is sent a hundred times a second is not parsed each time. */
  readonly #statements = new Map<string, StatementSync>();

  constructor(dataFolder: string) {
    this.#path = join(dataFolder, FILE);
    this.#database = existsSync(this.#path) ? openDatabase(this.#path) : null;
  }

  find(webhookId: string): KnownWebhook | null {
    const sql =
      "SELECT secret, position, sequence FROM webhooks LEFT JOIN going_back USING (webhook_id) " +
      "WHERE webhook_id = ?";
    const row = this.#statement(sql)?.get(webhookId);
    if (row === undefined) return null;
    const { secret, position, sequence } = row;
    const backToSequence = sequence === null ? null : Number(sequence);
    return { secret: String(secret), position: Number(position), backToSequence };
  }

  /** Of all webhooks. */
  all(): readonly (Omit<KnownWebhook, "backToSequence"> & { readonly webhookId: string })[] {
    const rows = this.#statement("SELECT webhook_id, secret, position FROM webhooks")?.all() ?? [];
    return rows.map(({ position, secret, webhook_id }) => ({
      webhookId: String(webhook_id),
      secret: String(secret),
      position: Number(position),
    }));
  }

  async put(webhookId: string, known: Omit<KnownWebhook, "backToSequence">): Promise<void> {
    const { position, secret } = known;
    const sql = "INSERT OR REPLACE INTO webhooks VALUES (?, ?, ?)";
    this.#database ??= openDatabase(this.#path);
    this.#statement(sql)?.run(webhookId, secret, position);
    this.#sync();
  }

  async moveTo(webhookId: string, position: number): Promise<void> {
    this.#moveTo(webhookId, position);
  }

  #moveTo(webhookId: string, position: number): void {
    const sql = "UPDATE webhooks SET position = ? WHERE webhook_id = ?";
    this.#statement(sql)?.run(position, webhookId);
  }

  goBack(sequence: number): void {
    const sql = "INSERT OR REPLACE INTO going_back SELECT webhook_id, ? FROM webhooks";
    this.#statement(sql)?.run(sequence);
    this.#sync();
  }

  wentBack(webhookId: string, position: number): void {
    this.#moveTo(webhookId, position);
    this.#statement("DELETE FROM going_back WHERE webhook_id = ?")?.run(webhookId);
  }

  async remove(webhookId: string): Promise<void> {
    for (const table of ["webhooks", "going_back", "deliveries"]) {
      this.#statement(`DELETE FROM ${table} WHERE webhook_id = ?`)?.run(webhookId);
    }
  }

  async note(webhookId: string, delivery: Omit<Delivery, "deliveryId">): Promise<Delivery> {
    this.#database ??= openDatabase(this.#path);
    const sql = "SELECT max(delivery_id) AS last FROM deliveries WHERE webhook_id = ?";
    const last = Number(this.#statement(sql)?.get(webhookId)?.last ?? 0);
    const noted = { deliveryId: last + 1, ...delivery };
    this.#statement("INSERT INTO deliveries VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")?.run(
      webhookId,
      noted.deliveryId,
      noted.timeMs,
      noted.kind,
      noted.firstNumber,
      noted.lastNumber,
      noted.attempt,
      noted.status,
      noted.error,
      noted.durationMs,
    );
    const forget = "DELETE FROM deliveries WHERE webhook_id = ? AND delivery_id <= ?";
    this.#statement(forget)?.run(webhookId, noted.deliveryId - DELIVERIES_MAX);
    return noted;
  }

  async deliveries(webhookId: string, beforeId: number, limit: number): Promise<Delivery[]> {
    const sql =
      "SELECT * FROM deliveries WHERE webhook_id = ? AND delivery_id < ? " +
      "ORDER BY delivery_id DESC LIMIT ?";
    const rows = this.#statement(sql)?.all(webhookId, beforeId, limit) ?? [];
    return rows.map((row) => ({
      deliveryId: Number(row.delivery_id),
      timeMs: Number(row.time_ms),
      kind: row.kind as DeliveryKind,
      firstNumber: Number(row.first_number),
      lastNumber: Number(row.last_number),
      attempt: Number(row.attempt),
      status: row.status === null ? null : Number(row.status),
      error: row.error as string | null,
      durationMs: Number(row.duration_ms),
    }));
  }

  /** Its secrets are kept elsewhere from now on. */
  delete(): void {
    this.close();
    for (const suffix of ["", "-wal", "-shm"]) rmSync(`${this.#path}${suffix}`, { force: true });
  }

  close(): void {
    this.#database?.close();
    this.#database = null;
    this.#statements.clear();
  }

  /**
   * By itself SQLite syncs its log later, so that a power cut loses the last changes. An older
   * position is no harm, but an older secret or a lost way back is.
   */
  #sync(): void {
    this.#database?.exec("PRAGMA wal_checkpoint(PASSIVE)");
  }

  /** Null before there is a file. */
  #statement(sql: string): StatementSync | null {
    if (this.#database === null) return null;
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    const statement = this.#database.prepare(sql);
    this.#statements.set(sql, statement);
    return statement;
  }
}

function openDatabase(path: string): DatabaseSync {
  closeSync(openSync(path, "a", OWNER_ONLY_MODE));
  chmodSync(path, OWNER_ONLY_MODE);
  const database = new DatabaseSync(path);
  database.exec(SCHEMA);
  return database;
}
