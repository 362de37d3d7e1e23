/**
 * Proves that `kill -9` loses nothing that was acknowledged. The real process under load is killed
 * at random moments, sometimes while it stops or starts, and restarted on the same folder, over and
 * over. After each start every acknowledged order and cancel exists, none twice; each request
 * without an answer has one outcome; balances follow from the fills; the ledger sums to zero; and
 * the state survives a further start to the last bit.
 */
import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { exact, sum } from "../support/exact.ts";
import { ExchangeProcess } from "../support/exchange-process.ts";
import { type Account, listStandardMarkets, openAccount } from "../support/exchange-setup.ts";
import type { Invariants } from "../support/operator-client.ts";
import { Random, scaled, seededRandom } from "../support/random.ts";
import { checkRecovered, type Funds } from "../support/recovery-check.ts";
import { SignedClient } from "../support/signed-client.ts";
import { Session } from "../support/trading-session.ts";

const CYCLES = scaled(12, 700);
const TRADERS = 4;
const FUNDS: Funds = { USDT: "100000", BTC: "3" };
const EARLIER_CHECKED = 8;
const random = seededRandom("crash/kill");

interface Tally {
  cycles: number;
  acknowledged: number;
  unknown: number;
  unknownApplied: number;
}

function assertSound({ ok, violations, totals }: Invariants): void {
  assert.equal(ok, true, violations.join("; "));
  for (const [asset, accounts] of Object.entries(totals)) {
    assert.equal(sum(Object.values(accounts).map(exact)), 0n, `${asset} does not sum to zero`);
  }
}

/** A trader of an earlier cycle: nothing of it is open, so its balances stay as they were. */
interface Retired {
  readonly account: Account;
  readonly assets: string;
}

class Campaign {
  readonly tally: Tally = { cycles: 0, acknowledged: 0, unknown: 0, unknownApplied: 0 };
  readonly #exchange: ExchangeProcess;
  readonly #retired: Retired[] = [];

  constructor(exchange: ExchangeProcess) {
    this.#exchange = exchange;
  }

  async cycle(number: number): Promise<void> {
    const sessions = await this.#openSessions(number);
    const load = Promise.all(sessions.map((session) => session.tradeUntilGone()));
    const delayMs = random.integer(50, 400);
    const snapshot = random.chance(0.2) ? this.#snapshotDuringLoad(delayMs) : Promise.resolve();
    await sleep(delayMs);
    await this.#killSomehow();
    await Promise.all([load, snapshot]);
    while (random.chance(0.2)) await this.#exchange.startAndKill(random.integer(0, 1500));
    await this.#exchange.restart();
    assertSound(await this.#exchange.operator.invariants());
    for (const session of sessions) await this.#check(session);
    await this.#checkEarlier();
    const sound = await this.#exchange.operator.invariants();
    assertSound(sound);
    if (number % 5 === 0) await this.#restartUnchanged(sound.stateHash, random.chance(0.5));
    this.tally.cycles++;
  }

  /** All earlier traders, as each was left. */
  async checkAllEarlier(): Promise<void> {
    for (const retired of this.#retired) await this.#checkRetired(retired);
  }

  async #openSessions(cycle: number): Promise<Session[]> {
    const sessions: Session[] = [];
    for (let i = 0; i < TRADERS; i++) {
      const account = await openAccount(this.#exchange, { ...FUNDS });
      const dice = new Random(random.integer(0, 2 ** 31));
      sessions.push(new Session(account, `c${cycle}-t${i}`, dice));
    }
    return sessions;
  }

  /** Mostly out of the blue, sometimes in the middle of an orderly end. */
  async #killSomehow(): Promise<void> {
    if (random.chance(0.2)) {
      void this.#exchange.kill("SIGTERM");
      await sleep(random.integer(0, 100));
    }
    await this.#exchange.kill("SIGKILL");
  }

  async #snapshotDuringLoad(delayMs: number): Promise<void> {
    await sleep(random.integer(0, delayMs));
    await this.#exchange.operator.takeSnapshot().catch((error: Error) => {
      assert.equal(error.name, "NoAnswer", error.message);
    });
  }

  async #check(session: Session): Promise<void> {
    const account = this.#reconnected(session.account);
    const counts = await checkRecovered(session.on(account), FUNDS);
    this.tally.acknowledged += counts.acknowledged;
    this.tally.unknown += counts.unknown;
    this.tally.unknownApplied += counts.unknownApplied;
    const assets = JSON.stringify([...(await account.client.assets())]);
    this.#retired.push({ account, assets });
    account.client.close();
  }

  /** The process has another port after every start. */
  #reconnected(account: Account): Account {
    account.client.close();
    return { ...account, client: new SignedClient(this.#exchange.port, account.credentials) };
  }

  async #checkEarlier(): Promise<void> {
    for (let i = 0; i < EARLIER_CHECKED; i++) await this.#checkRetired(random.pick(this.#retired));
  }

  async #checkRetired(retired: Retired): Promise<void> {
    const { client } = this.#reconnected(retired.account);
    assert.equal(JSON.stringify([...(await client.assets())]), retired.assets);
    client.close();
  }

  async #restartUnchanged(hash: string, cleanly: boolean): Promise<void> {
    await this.#exchange.kill(cleanly ? "SIGTERM" : "SIGKILL");
    await this.#exchange.restart();
    assert.equal(await this.#exchange.operator.stateHash(), hash, cleanly ? "clean" : "killed");
  }
}

test("kill -9 under load, over and over", async (t) => {
  const exchange = await ExchangeProcess.start();
  t.after(() => exchange.stop());
  await listStandardMarkets(exchange);
  const campaign = new Campaign(exchange);
  for (let cycle = 1; cycle <= CYCLES; cycle++) {
    await t.test(`cycle ${cycle}`, () => campaign.cycle(cycle));
  }
  await campaign.checkAllEarlier();
  const { cycles, acknowledged, unknown, unknownApplied } = campaign.tally;
  t.diagnostic(
    `${cycles} kills, ${acknowledged} acknowledged orders found, ` +
      `${unknown} without an answer of which ${unknownApplied} had been applied`,
  );
  assert.ok(acknowledged > cycles * 5, `the load was too small: ${acknowledged} orders`);
});
