/**
 * Reads the journal of a running exchange and recomputes the affiliate programme from its commands
 * and trades: what accrued, was held, settled and reversed, implemented independently of the
 * product. The rows that the commission report must have are derived from the same events.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { sha256Hex } from "../../src/app/event-digest.ts";
import { Engine } from "../../src/engine/index.ts";
import { openJournalReader } from "../../src/journal/index.ts";
import { ByteWriter, type Command, decodeCommand, type Event } from "../../src/protocol/index.ts";
import { AffiliateRecomputation } from "../support/affiliate/affiliate-recomputation.ts";
import { CommissionRows, type ReportedRow } from "../support/affiliate/commission-rows.ts";
import { isAffiliateCommand } from "../support/affiliate/naive-affiliate-commands.ts";
import type { NaiveAffiliateProgramme } from "../support/affiliate/naive-affiliate-programme.ts";
import { HASH_KEY } from "../support/hash-key.ts";

export class JournalWitness {
  /** Settlements that a start made up for. */
  lateSettlements = 0;
  readonly #folder: string;
  readonly #recomputation: AffiliateRecomputation;
  readonly #engine = Engine.create(sha256Hex, HASH_KEY);
  readonly #events = new ByteWriter();
  readonly #rows: CommissionRows;
  #sequence = 0;

  constructor(dataFolder: string) {
    this.#folder = join(dataFolder, "journal");
    this.#recomputation = new AffiliateRecomputation(undefined, (event) => {
      this.#rows.observe(event);
    });
    this.#rows = new CommissionRows(this.programme);
  }

  get settlements(): number {
    return this.#rows.settlements;
  }

  get programme(): NaiveAffiliateProgramme {
    return this.#recomputation.programme;
  }

  get commissions(): number {
    return this.programme.rows.size;
  }

  get stateHash(): string {
    return this.#engine.stateHash();
  }

  /** Newest first. */
  rows(affiliateUid: number, productType: string): readonly ReportedRow[] {
    return this.#rows.of(affiliateUid, productType);
  }

  /** Goes on to a command that is durable. Throws `Discrepancy`. */
  async readTo(sequence: number): Promise<void> {
    const reader = openJournalReader(this.#folder);
    for await (const batch of reader.read(this.#sequence + 1, sequence)) {
      assert.equal(batch.firstSequence, this.#sequence + 1);
      for (const record of batch.records) this.#take(decodeCommand(record), batch.timestampMs);
    }
    assert.equal(this.#sequence, sequence);
    assert.equal(this.#recomputation.ledger.imbalance(), null);
  }

  #take(command: Command, nowMs: number): void {
    this.#sequence++;
    this.#events.clear();
    const result = this.#engine.apply(command, this.#sequence, nowMs, this.#events);
    assert.ok(result.ok, `${command.type} was refused`);
    let own: readonly Event[] = [];
    if (isAffiliateCommand(command)) {
      const outcome = this.#recomputation.carryOut(command, nowMs);
      assert.ok(outcome.ok, `${command.type} should have been refused`);
      own = outcome.events;
    }
    const before = this.settlements;
    this.#recomputation.walk(command, nowMs, [this.#events.toBytes()], own);
    if (command.type === "resume") this.lateSettlements += this.settlements - before;
  }
}
