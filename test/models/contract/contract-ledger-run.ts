/**
 * Feeds the events of random contract traffic to the event ledger, one by one, and compares the
 * ledger with the engine after every command: house accounts and sums of all wallets with the
 * totals of the invariants, every wallet and every position with its owner's view.
 */
import { sha256Hex } from "../../../src/app/event-digest.ts";
import { Engine } from "../../../src/engine/index.ts";
import {
  ByteWriter,
  type Command,
  type EngineQuery,
  type Event,
  type QueryAnswers,
  readEvents,
} from "../../../src/protocol/index.ts";
import { exact } from "../../support/exact.ts";
import { HASH_KEY } from "../../support/hash-key.ts";
import type { Random } from "../../support/random.ts";
import { Divergence } from "../divergence.ts";
import { ContractEventLedger } from "./contract-event-ledger.ts";
import { UIDS } from "./contract-setup.ts";
import { ContractTraffic } from "./contract-traffic.ts";
import { NaiveContractExchange } from "./naive-contract-exchange.ts";

const HOUSES = [
  "fees",
  "insurance",
  "funding-clearing",
  "pnl-clearing",
  "rounding",
  "external",
] as const;
const WALLETS = ["spot", "contract"] as const;

export class ContractLedgerRun {
  readonly ledger = new ContractEventLedger();
  readonly events: Event[] = [];
  readonly #engine = Engine.create(sha256Hex, HASH_KEY);
  readonly #written = new ByteWriter();
  readonly #traffic: ContractTraffic;
  /** Only tells the traffic what there is to trade with. */
  readonly #exchange = new NaiveContractExchange();
  #sequence = 0;
  #commands = 0;

  constructor(random: Random) {
    this.#traffic = new ContractTraffic(random, this.#exchange);
    // The invariants come with it; nothing here compares it, and it took a third of the time.
    this.#engine.stateHash = () => "";
  }

  /** Throws `Divergence`. */
  run(commands: number): void {
    for (let i = 0; i < commands; i++) {
      this.#commands++;
      const command = this.#traffic.next();
      const { nowMs } = this.#traffic;
      const sequence = this.#sequence + 1;
      this.#exchange.advance(nowMs, sequence);
      this.#exchange.carryOut(command, nowMs, sequence);
      const isResume = command.type === "resume";
      if (!isResume && this.#engine.nextDueMs <= nowMs) {
        this.#execute({ type: "advance-time", toMs: nowMs });
      }
      this.#execute(command);
    }
  }

  #execute(command: Command): void {
    this.#apply(command);
    while (this.#engine.hasUnfinishedRisk) this.#apply({ type: "continue-risk" });
  }

  #apply(command: Command): void {
    this.#written.clear();
    const { nowMs } = this.#traffic;
    this.#engine.apply(command, this.#sequence + 1, nowMs, this.#written);
    if (this.#written.length === 0) return;
    this.#sequence++;
    for (const event of readEvents(this.#written.toBytes())) {
      this.events.push(event);
      const fault = this.ledger.take(event);
      if (fault !== null) throw this.#divergence(`event ${event.type}`, fault);
    }
    this.#checkTotals();
    for (const uid of UIDS) this.#checkUser(uid);
  }

  #checkTotals(): void {
    const { totals, violations } = this.#ask({ type: "invariants" });
    for (const violation of violations) throw this.#divergence("invariants", violation);
    for (const asset of this.ledger.assets) {
      const emitted = totals[asset] ?? {};
      for (const name of HOUSES) {
        this.#same(name, this.ledger.house(name, asset), this.#minor(emitted[name], asset));
      }
      for (const wallet of WALLETS) {
        const names = Object.keys(emitted).filter((name) => name.startsWith(`${wallet}.`));
        const minor = names.reduce((sum, name) => sum + this.#minor(emitted[name], asset), 0n);
        this.#same(`${wallet} wallets`, this.ledger.walletsMinor(wallet, asset), minor);
      }
    }
  }

  #checkUser(uid: number): void {
    if (!this.#exchange.users.has(uid)) return;
    for (const { asset, balance } of this.#ask({ type: "contract-balances", uid })) {
      const own = this.ledger.wallet("contract", uid, asset);
      this.#same(`wallet of ${uid}`, own, this.#minor(balance, asset));
    }
    const values = this.ledger.positions.openValuesOf(uid);
    const emitted = this.#ask({ type: "contract-positions", uid, symbol: null });
    this.#same(`positions of ${uid}`, values.size, emitted.length);
    for (const { id, openValue, asset } of emitted) {
      this.#same(`position ${id}`, values.get(id)?.minor, this.#minor(openValue, asset));
    }
  }

  #minor(text: string | undefined, asset: string): bigint {
    return exact(text ?? "0") / 10n ** BigInt(18 - this.ledger.scale(asset));
  }

  #ask<Type extends EngineQuery["type"]>(
    query: Extract<EngineQuery, { readonly type: Type }>,
  ): QueryAnswers[Type] {
    const answer = this.#engine.query(query, this.#traffic.nowMs);
    if (!answer.ok) throw this.#divergence("query", answer.reason);
    return answer.value as QueryAnswers[Type];
  }

  #same(finder: string, own: unknown, emitted: unknown): void {
    if (own === emitted) return;
    throw this.#divergence(finder, `${own} by the events, ${emitted} by the engine`);
  }

  #divergence(finder: string, message: string): Divergence {
    return new Divergence(finder, `after ${this.#commands} commands: ${message}`);
  }
}
