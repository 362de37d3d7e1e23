/** What users and operators are told of withdrawals and deposits, while nobody sends anything. */
import { isDeepStrictEqual } from "node:util";
import { type NaiveWithdrawal, stateOf } from "../../models/naive-withdrawals.ts";
import { text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import type { World } from "../aims/world.ts";
import { hold } from "../breach.ts";
import { FUNDING_READINGS } from "../funding-readings.ts";
import { operate } from "../operate.ts";
import { checkReadings } from "../readings.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { checkStep } from "../state-check.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import type { PrivateWatch } from "../watches.ts";

const READINGS = 3;

export async function checkFunding(world: World, random: Random): Promise<void> {
  const { exchange, traders } = world;
  await thaw(exchange);
  const trader = random.pick(traders);
  await checkReadings(trader, "spot", READINGS, Object.keys(FUNDING_READINGS));
  await unlessTimePasses(exchange, () => checkOperatorLists(exchange));
  for (const watch of world.fundingWatches) await exchange.life.until(watch.check());
  await checkAccountStream(world);
}

/** Whoever's withdrawal took the last step: later movements would tell the same balance again. */
async function checkAccountStream({ exchange, watches }: World): Promise<void> {
  const lastMs = ({ steps }: NaiveWithdrawal) => steps.at(-1)?.atMs ?? 0;
  const all = [...exchange.story.naive.withdrawals.withdrawals];
  const latest = all.sort((one, other) => lastMs(other) - lastMs(one))[0];
  const isTheirs = ({ product, trader }: PrivateWatch) =>
    product === "spot" && trader.uid === latest?.uid;
  const watch = watches.find(isTheirs);
  if (watch?.isConnected === true) await exchange.life.until(watch.check());
}

/** Whoever was frozen when the machine ended is let go. */
async function thaw(exchange: SimulatedExchange): Promise<void> {
  const { users } = exchange.story.naive;
  const frozen = [...users.values()].filter(({ state }) => state === "frozen");
  for (const { uid } of frozen) {
    const path = `users/${uid}`;
    await exchange.life.until(operate(exchange, "PATCH", path, { state: "active" }));
  }
  if (frozen.length > 0) await checkStep(exchange);
}

interface Page {
  readonly items: readonly Readonly<Record<string, unknown>>[];
}

async function checkOperatorLists(exchange: SimulatedExchange): Promise<void> {
  const { deposits, withdrawals } = exchange.story.naive;
  const last = withdrawals.withdrawals.slice(-PAGE);
  const after = (last[0]?.withdrawalId ?? 1) - 1;
  const requests = `withdrawal-requests?limit=${PAGE}&after=${after}`;
  await compare(
    exchange,
    requests,
    ["withdrawalId", "uid", "amount", "fee", "state", "requested"],
    last.map((one) => {
      const { amount, fee, steps, uid, withdrawalId } = one;
      const money = { amount: text(amount), fee: text(fee) };
      return { withdrawalId, uid, ...money, state: stateOf(one), requested: steps[0]?.atMs };
    }),
  );
  const rules = [...withdrawals.rules.values()].map(({ actor: _, type: __, ...rule }) => rule);
  const names = ["asset", "enabled", "minAmount", "fee", "dailyLimit", "addressHoldMs"];
  await compare(exchange, "withdrawal-rules", [...names, "keyHoldMs"], rules);
  const reports = deposits.deposits.slice(-PAGE);
  const from = (reports[0]?.depositId ?? 1) - 1;
  await compare(
    exchange,
    `deposit-reports?limit=${PAGE}&after=${from}`,
    ["depositId", "uid", "asset", "amount", "transactionId", "confirmations", "state", "first"],
    reports.map(({ amount, firstMs: first, ...rest }) => ({
      ...rest,
      first,
      amount: text(amount),
    })),
  );
}

const PAGE = 50;

/** In any order of rows, as some lists are by name. */
async function compare(
  exchange: SimulatedExchange,
  path: string,
  names: readonly string[],
  due: readonly Readonly<Record<string, unknown>>[],
): Promise<void> {
  const { items } = await exchange.readOperator<Page>(path);
  const words = (rows: Page["items"]) =>
    rows.map((row) => JSON.stringify(names.map((name) => row[name]))).sort();
  const [said, expected] = [words(items), words(due)];
  const detail = () => `${path}: ${said} instead of ${expected}`;
  const check = "an operator is told what the naive exchange has";
  hold(isDeepStrictEqual(said, expected), check, detail);
}
