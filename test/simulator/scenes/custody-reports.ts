/**
 * What custody says that it holds, while withdrawals with fees stand in every state: as much as is
 * owed, and more or less by a unit, a fee, or what is on its way. The last report is there behind
 * every start.
 */
import { exact, greatest, text } from "../../support/exact.ts";
import type { Random } from "../../support/random.ts";
import type { CreditedExchange } from "../affiliate-story.ts";
import { hold } from "../breach.ts";
import { differenceOf, timeOf } from "../readings.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { checkStep } from "../state-check.ts";
import { unlessTimePasses } from "../undisturbed.ts";
import { AgainBehindStarts } from "./again-behind-starts.ts";
import type { Scene, Stage } from "./stage.ts";

const MONEY = [
  { asset: "BTC", amount: "1", fees: ["0.00005", "0.00000001", "0"] },
  { asset: "USDT", amount: "1000", fees: ["0.25", "1", "0"] },
] as const;
const AMOUNTS = { BTC: ["0.001", "0.0001"], USDT: ["2", "10.5"] } as const;
/** Ways of a withdrawal to a state in which it stays. */
const WAYS = [
  [],
  ["rejected"],
  ["approved"],
  ["approved", "sent"],
  ["approved", "sent"],
  ["approved", "sent", "done"],
  ["approved", "sent", "failed"],
] as const;
const WITHDRAWALS_MAX = 3;
const PATH = "custody/balances";

interface Holder {
  readonly uid: number;
  readonly addressIds: Readonly<Record<string, number>>;
  requests: number;
}

export const lastReport = new AgainBehindStarts<Holder>(async (exchange) => {
  await checkStep(exchange);
  await unlessTimePasses(exchange, async () => {
    same(exchange, await exchange.readOperator(PATH), "the last report");
  });
});

export const custodyReports: Scene = async (stage) => {
  const { exchange, random } = stage;
  for (const { asset, fees } of MONEY) {
    const holds = { dailyLimit: null, addressHoldMs: 0, keyHoldMs: 0 };
    const rules = { enabled: true, minAmount: "0.0001", fee: random.pick([...fees]), ...holds };
    const least = asset === "USDT" ? { minAmount: "1" } : {};
    await stage.operate("PUT", `withdrawal-rules/${asset}`, { ...rules, ...least });
  }
  const holder = lastReport.of(exchange) ?? (await newHolder(stage));
  if (holder === null) return;
  for (let count = random.integer(1, WITHDRAWALS_MAX); count > 0; count--) {
    const { asset } = random.pick([...MONEY]);
    const addressId = holder.addressIds[asset];
    const body = { addressId, amount: random.pick([...AMOUNTS[asset]]), uid: holder.uid };
    const id = `custody-${holder.requests++}`;
    const made = await stage.operate("POST", "withdrawal-requests", { ...body, id });
    if (made === null) continue;
    const { withdrawalId } = made as { readonly withdrawalId: number };
    await report(stage);
    for (const state of random.pick([...WAYS])) {
      const step = { id: state, state, note: "0xabc" };
      await stage.operate("PATCH", `withdrawal-requests/${withdrawalId}`, step);
      await report(stage);
    }
  }
  if (random.chance(0.5)) await stage.operate("POST", "snapshots", {});
};

async function newHolder(stage: Stage): Promise<Holder | null> {
  const { exchange } = stage;
  const { uid } = await exchange.operator<{ readonly uid: number }>("POST", "users", {});
  const addressIds: Record<string, number> = {};
  for (const { amount, asset } of MONEY) {
    const money = { id: `custody-${asset}`, account: "spot", asset, amount };
    await stage.operate("POST", `users/${uid}/deposits`, money);
    const target = { asset, network: "main", address: "c1", label: "custody" };
    const added = await stage.operate("POST", `users/${uid}/withdrawal-addresses`, target);
    if (added === null) return null;
    addressIds[asset] = (added as { readonly addressId: number }).addressId;
  }
  return lastReport.keep(exchange, { uid, addressIds, requests: 0 });
}

async function report(stage: Stage): Promise<void> {
  const { exchange, random } = stage;
  const naive = await stage.look();
  const assets = ["BTC", "USDT", "USDT", "ETH"].filter(() => random.chance(0.8));
  const some = random.chance(0.1) ? assets : [...new Set(assets)];
  const balances = some.map((asset) => ({ asset, amount: someAmount(naive, asset, random) }));
  const nowMs = await exchange.life.until(timeOf(exchange));
  const asOf = random.pick([undefined, undefined, 0, nowMs - 1, nowMs, nowMs + 60_000]);
  const body = { balances, ...(asOf === undefined ? {} : { asOf }) };
  const said = await stage.operate("POST", PATH, body);
  await stage.look();
  if (said !== null) same(exchange, said, JSON.stringify(body));
}

/** As much as is owed, or as may be there, or beside it by a unit, a fee, or both. */
function someAmount(naive: CreditedExchange, asset: string, random: Random): string {
  const unit = naive.unit(asset);
  const fee = exact(naive.withdrawals.rules.get(asset)?.fee ?? "0");
  const owed = naive.custody.owed(asset);
  const expected = owed - random.pick([0n, 1n, 1n]) * naive.custody.inFlight(asset);
  const beside = random.pick([0n, unit, fee, fee + unit, fee - unit, owed]);
  const amount = greatest(0n, expected + random.pick([-1n, 1n]) * beside);
  const [whole] = text(amount).split(".");
  return random.chance(0.03) ? `${whole}.0000000001` : text(amount);
}

function same({ story }: SimulatedExchange, said: unknown, what: string): void {
  const { last } = story.naive.custody;
  const none = { asOf: null, reported: null, actor: null, items: [] };
  const due =
    last === null
      ? none
      : {
          ...{ asOf: last.asOfMs, reported: last.reportedMs },
          ...{ actor: last.actor, items: last.rows },
        };
  const difference = differenceOf(said, due);
  const isSame = JSON.stringify(said) === JSON.stringify(due);
  hold(isSame, "custody is compared with what is owed", () => `${what}: ${difference}`);
}
