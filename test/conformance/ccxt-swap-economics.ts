/**
 * Two accounts trade a contract with each other through ccxt, at random, opening and closing on
 * both sides while the mark moves and funding is settled. After every step both wallets are those
 * that a plain book-keeping of the fills gives; at the end all positions are closed, and what one
 * side won the other one lost, less fees, to the last unit.
 */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Trade } from "ccxt";
import { passFundingSlot, pinMark } from "../support/contract-setup.ts";
import { exact, sum, text } from "../support/exact.ts";
import { type Random, scaled } from "../support/random.ts";
import { ETH_SWAP, type Trader } from "./ccxt-client.ts";
import { closePair, openPair, positionOf, type SwapFixture } from "./ccxt-swap-fixture.ts";
import { allIncome, assertChain, type IncomeRow } from "./ccxt-swap-histories.ts";

const STEPS = 40;
/** As many fills as one answer holds; a longer course is not added up from them. */
const FILLS_LISTED = 100;
const SYMBOL = "ETHUSDT";

interface Row {
  readonly balance: string;
}

async function walletOf({ ccxt: client }: Trader): Promise<Row> {
  const { info } = await client.fetchBalance();
  return (info as Row[])[0] as Row;
}

function price(random: Random): number {
  return random.integer(298_000, 302_000) / 100;
}

function amount(random: Random): number {
  return random.integer(1, 500) / 100;
}

/** One of: both open, both close, the mark moves, a funding slot passes. */
async function step(fixture: SwapFixture, random: Random): Promise<void> {
  const { alice, bob, exchange } = fixture;
  const [buyer, seller] = random.chance(0.5) ? [alice, bob] : [bob, alice];
  const kind = random.integer(0, 9);
  if (kind === 0) {
    await pinMark(exchange, SYMBOL, price(random).toFixed(2));
  } else if (kind === 1) {
    await passFundingSlot(exchange, alice.account, SYMBOL);
  } else if (kind < 6) {
    await openPair(buyer, seller, amount(random), price(random), ETH_SWAP);
  } else {
    const long = await positionOf(buyer, "long", ETH_SWAP);
    const most = Math.round((long?.contracts ?? 0) * 100);
    if (most === 0) return;
    const part = random.chance(0.3) ? most : random.integer(1, most);
    await closePair(buyer, seller, part / 100, price(random), ETH_SWAP);
  }
}

/** The positions of the two mirror each other, so that their profits cancel out. */
async function checkMirror({ alice, bob }: SwapFixture): Promise<void> {
  for (const [side, other] of [
    ["long", "short"],
    ["short", "long"],
  ] as const) {
    const [mine, theirs] = [
      await positionOf(alice, side, ETH_SWAP),
      await positionOf(bob, other, ETH_SWAP),
    ];
    assert.equal(mine?.info.size ?? "0", theirs?.info.size ?? "0");
  }
}

function totalOf(rows: readonly IncomeRow[], field: "income" | "fillFee"): bigint {
  return sum(rows.map((row) => exact(row[field])));
}

interface Before {
  readonly rows: readonly IncomeRow[];
  readonly fills: ReadonlySet<string>;
}

async function fillsOf({ ccxt: client }: Trader): Promise<readonly Trade[]> {
  return client.fetchMyTrades(ETH_SWAP, undefined, FILLS_LISTED);
}

async function stateOf(trader: Trader): Promise<Before> {
  const fills = (await fillsOf(trader)).map(({ id }) => id as string);
  return { rows: await allIncome(trader), fills: new Set(fills) };
}

/** Fills and income rows tell the same; gives what the course brought before fees. */
async function checkTotals(trader: Trader, before: Before): Promise<bigint> {
  const rows = (await allIncome(trader)).slice(before.rows.length);
  const listed = await fillsOf(trader);
  if (listed.length < FILLS_LISTED) {
    const fills = listed.filter(({ id }) => !before.fills.has(id as string));
    const fees = sum(fills.map(({ info }) => exact(info.commission)));
    const realised = sum(fills.map(({ info }) => exact(info.realizedPnl)));
    const ofFunding = rows.filter(({ incomeType }) => incomeType === "position_funding");
    const funding = totalOf(ofFunding, "income");
    assert.equal(text(totalOf(rows, "fillFee")), text(fees), "fees");
    assert.equal(text(totalOf(rows, "income")), text(realised - fees + funding), "income");
  }
  return totalOf(rows, "income") + totalOf(rows, "fillFee");
}

export async function swapEconomicsTests(
  t: TestContext,
  fixture: SwapFixture,
  random: Random,
): Promise<void> {
  const { alice, bob, exchange } = fixture;
  await t.test("a random course: wallets chain, profits cancel out, fees are kept", async () => {
    await pinMark(exchange, SYMBOL, "3000");
    const before = [await stateOf(alice), await stateOf(bob)] as const;
    for (let i = 0; i < scaled(STEPS); i++) {
      await step(fixture, random);
      await checkMirror(fixture);
      for (const trader of [alice, bob]) {
        const { balance } = await walletOf(trader);
        const rows = await allIncome(trader);
        assert.equal(rows.at(-1)?.balance, balance, `step ${i}`);
      }
    }
    for (const [holder, other] of [
      [alice, bob],
      [bob, alice],
    ] as const) {
      const long = await positionOf(holder, "long", ETH_SWAP);
      if (long !== null) await closePair(holder, other, long.contracts as number, 3000, ETH_SWAP);
    }
    for (const trader of [alice, bob]) {
      assertChain(await allIncome(trader), (await walletOf(trader)).balance);
    }
    const gains = [await checkTotals(alice, before[0]), await checkTotals(bob, before[1])];
    // Payers round up and receivers down: what is between them is the exchange's, a unit a slot.
    const rest = -sum(gains);
    assert.ok(rest >= 0n && rest < 1_000n * 10n ** 10n, `profits do not cancel: ${text(rest)}`);
    const { ok, violations } = await exchange.operator.invariants();
    assert.equal(ok, true, violations.join("; "));
  });
}
