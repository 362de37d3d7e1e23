/** Logs in PostgreSQL for tests of the quorum journal, one after the other. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createQuorumLog, LeaseRow, openQuorumJournal } from "../../src/journal/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";
import type { JournalStore } from "./journal-contract.ts";
import { PostgresCluster } from "./postgres-cluster.ts";
import type { Row } from "./postgres-node.ts";

type Opening = Awaited<ReturnType<typeof openQuorumJournal>>;
type QuorumJournal = Extract<Opening, { ok: true }>["journal"];

const HOUR_MS = 3_600_000;
/** Few, so that a test crosses several partitions. */
const PARTITION_ROWS = 7;

/** A log, and the folder of one node. */
export class QuorumStore implements JournalStore {
  readonly folder = mkdtempSync(join(tmpdir(), "rialto-quorum-"));
  readonly cluster: PostgresCluster;
  readonly urls: readonly string[];
  readonly venueId: string;
  readonly messages: string[] = [];
  /** Added to the clock, which hurries during a failure: whoever waits until a time gives up. */
  #aheadMs = 0;
  #isFailing = false;
  readonly #leases: LeaseRow[] = [];

  constructor(cluster: PostgresCluster, urls: readonly string[], venueId: string) {
    this.cluster = cluster;
    this.urls = urls;
    this.venueId = venueId;
  }

  /** In another folder: the journal of another node. */
  tryOpen(
    options: Partial<Pick<QuorumStore, "folder" | "urls" | "venueId">> = {},
  ): Promise<Opening> {
    const { files, network, scheduler } = NODE_PLATFORM;
    const monotonicMs = () => {
      if (this.#isFailing) this.#aheadMs += 2 * HOUR_MS;
      return NODE_PLATFORM.clock.monotonicMs() + this.#aheadMs;
    };
    return openQuorumJournal({
      urls: this.urls,
      venueId: this.venueId,
      folder: this.folder,
      ...options,
      fileSystem: files,
      network,
      scheduler,
      clock: { ...NODE_PLATFORM.clock, monotonicMs },
      segmentBytes: 4096,
      giveUpMs: HOUR_MS,
      log: (_level, message) => this.messages.push(message),
    });
  }

  async open(): Promise<QuorumJournal> {
    const opening = await this.tryOpen();
    assert.ok(opening.ok, opening.ok ? "" : opening.refusal.message);
    return opening.journal;
  }

  /** For another node's lease. */
  newLease(): LeaseRow {
    const { urls, venueId } = this;
    const log = () => undefined;
    const lease = new LeaseRow({ ...NODE_PLATFORM, urls, venueId, answerMs: HOUR_MS, log });
    this.#leases.push(lease);
    return lease;
  }

  async closeLeases(): Promise<void> {
    await Promise.all(this.#leases.map((lease) => lease.close()));
  }

  /** Rows of a statement to the primary. */
  query(text: string): Promise<readonly Row[]> {
    return this.cluster.primary.query(text);
  }

  /** No node can be reached, and it is given up at once. */
  fail(): void {
    for (const { clients } of this.cluster.nodes) clients.break();
    this.#isFailing = true;
  }

  mend(): void {
    this.#isFailing = false;
    for (const { clients } of this.cluster.nodes) clients.mend();
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Over one cluster, which is started with the first store. */
export class QuorumStores {
  #cluster: Promise<PostgresCluster> | null = null;

  cluster(): Promise<PostgresCluster> {
    this.#cluster ??= PostgresCluster.start();
    return this.#cluster;
  }

  /** A new, empty log, in place of the last store's. */
  async newStore(): Promise<QuorumStore> {
    const cluster = await this.cluster();
    const { nodes, primary, urls } = cluster;
    // After a test that failed in the middle of a fault, the next ones still run.
    for (const { clients, replication } of nodes) {
      clients.mend();
      replication.mend();
    }
    await primary.query("DROP SCHEMA IF EXISTS rialto CASCADE");
    const venueId = randomUUID();
    const log = { urls, venueId, partitionRows: PARTITION_ROWS };
    const created = await createQuorumLog({ ...NODE_PLATFORM, ...log });
    assert.ok(created.ok, created.ok ? "" : created.refusal);
    return new QuorumStore(cluster, urls, venueId);
  }

  async close(): Promise<void> {
    await (await this.#cluster)?.stop();
  }
}
