/**
 * The affiliate side of the demo: a small tree, users who registered with its codes and, once the
 * books are quoted, their trades, so that every report has content. Like the other seeding it only
 * adds what is missing.
 */
import type { CommandOf, EngineClient } from "../protocol/index.ts";
import { contractOrder, depositToContract, isContractUntouched } from "./contract-seed.ts";
import {
  DEMO_AFFILIATE_FUNDS,
  DEMO_AFFILIATES,
  DEMO_CONTRACTS,
  DEMO_INTERNAL_WITHDRAWAL,
  DEMO_INVITEES,
  DEMO_MARKETS,
  type DemoInvitee,
  type DemoMarket,
} from "./demo-profile.ts";
import { onGrid } from "./quotes.ts";
import { isDemoUser, seedFunds, seedUser, seedWithdrawal } from "./seed-accounts.ts";
import { ACTOR, must } from "./seed-command.ts";

const QUOTE_ASSET = "USDT";
/** Share of each purchase that is sold again, so that fees accrue in both coins. */
const SOLD_SHARE = 0.4;
const CONTRACT_NOTIONAL = 2_000;

/**
 * Users, rates and tree. Rates that an operator has changed stay changed. Returns false and does
 * nothing in a venue where another user has one of the uids.
 */
export async function seedAffiliates(engine: EngineClient): Promise<boolean> {
  for (const { uid } of DEMO_AFFILIATES) {
    const user = await engine.query({ type: "user", uid });
    if (user.ok && !(await isDemoUser(engine, uid))) return false;
  }
  for (const affiliate of DEMO_AFFILIATES) {
    const { uid, parentUid } = affiliate;
    await seedUser(engine, uid, parentUid);
    await seedFunds(engine, uid, DEMO_AFFILIATE_FUNDS);
    const present = await engine.query({ type: "affiliate", uid });
    if (!present.ok) await must(engine, { type: "set-affiliate", actor: ACTOR, ...affiliate });
  }
  return true;
}

/** The users who registered with the affiliates' codes, with their deposits and withdrawals. */
export async function seedInvitees(engine: EngineClient): Promise<void> {
  for (const { uid, inviterUid, kyc } of DEMO_INVITEES) {
    await seedUser(engine, uid, inviterUid, kyc);
  }
  for (const { uid, spotFunds, spotWithdrawal, contractFunds } of await demoInvitees(engine)) {
    if (spotFunds !== "0") await seedFunds(engine, uid, { [QUOTE_ASSET]: spotFunds });
    if (spotWithdrawal !== "0") await seedWithdrawal(engine, uid, QUOTE_ASSET, spotWithdrawal);
    if (contractFunds !== "0") await depositToContract(engine, uid, contractFunds);
  }
}

/** Without those whose uid belongs to another user. */
export async function demoInvitees(engine: EngineClient): Promise<readonly DemoInvitee[]> {
  const own = await Promise.all(DEMO_INVITEES.map(({ uid }) => isDemoUser(engine, uid)));
  return DEMO_INVITEES.filter((_, index) => own[index]);
}

/**
 * Every invitee who never traded buys, and sells part of it again. The commissions are settled at
 * once, and a part is passed down the tree. The books must be quoted.
 */
export async function seedSpotCommissions(engine: EngineClient): Promise<void> {
  let traded = false;
  for (const invitee of await demoInvitees(engine)) {
    const hasWork = Object.keys(invitee.buys).length > 0;
    if (!hasWork || !(await isSpotUntouched(engine, invitee.uid))) continue;
    await tradeSpot(engine, invitee);
    traded = true;
  }
  if (!traded) return;
  await settleEarly(engine);
  await payInternally(engine);
}

async function isSpotUntouched(engine: EngineClient, uid: number): Promise<boolean> {
  const balances = await engine.query({ type: "spot-balances", uid });
  const isEmpty = ({ asset, equity }: { readonly asset: string; readonly equity: string }) =>
    asset === QUOTE_ASSET || equity === "0";
  return balances.ok && balances.value.every(isEmpty);
}

async function tradeSpot(engine: EngineClient, invitee: DemoInvitee): Promise<void> {
  const { uid } = invitee;
  for (const [symbol, notional] of Object.entries(invitee.buys)) {
    const market = DEMO_MARKETS.find((listed) => listed.symbol === symbol) as DemoMarket;
    const tickers = await engine.query({ type: "spot-book-tickers", symbol });
    const price = tickers.ok ? Number(tickers.value[0]?.lastPrice ?? 0) : 0;
    if (price === 0) continue;
    const bought = onGrid(notional / price, market.stepSize);
    const sold = onGrid((notional * SOLD_SHARE) / price, market.stepSize);
    await engine.execute(marketOrder(uid, symbol, "BUY", bought));
    await engine.execute(marketOrder(uid, symbol, "SELL", sold));
  }
  if (!invitee.frozenAfterwards) return;
  await engine.execute({
    type: "update-user",
    actor: ACTOR,
    uid,
    kyc: null,
    state: "frozen",
    selfTradePrevention: null,
  });
}

function marketOrder(
  uid: number,
  symbol: string,
  side: "BUY" | "SELL",
  quantity: string,
): CommandOf<"place-spot-order"> {
  return {
    type: "place-spot-order",
    uid,
    symbol,
    side,
    orderType: "MARKET",
    timeInForce: "IOC",
    price: "",
    quantity,
    quantityUnit: "base",
    clientOrderId: `demo-${side.toLowerCase()}-${symbol}`,
  };
}

/** The same with a contract: opens and closes a position, then settles. */
export async function seedContractCommissions(engine: EngineClient): Promise<void> {
  let traded = false;
  for (const { uid, contractFunds } of await contractInvitees(engine)) {
    if (!(await isContractUntouched(engine, uid, contractFunds))) continue;
    traded = (await tradeContract(engine, uid, ["demo-open", "demo-close"])) || traded;
  }
  if (traded) await settleEarly(engine);
}

/** Every invitee with a contract wallet trades once more, whatever they did before. */
export async function tradeContracts(engine: EngineClient, nextId: () => string): Promise<void> {
  for (const { uid } of await contractInvitees(engine)) {
    await tradeContract(engine, uid, [nextId(), nextId()]);
  }
}

async function contractInvitees(engine: EngineClient): Promise<readonly DemoInvitee[]> {
  const invitees = await demoInvitees(engine);
  return invitees.filter(({ contractFunds }) => contractFunds !== "0");
}

/** Opens and closes; false without a price. */
async function tradeContract(
  engine: EngineClient,
  uid: number,
  [openId, closeId]: readonly [openId: string, closeId: string],
): Promise<boolean> {
  const [contract] = DEMO_CONTRACTS;
  if (contract === undefined) return false;
  const { symbol, stepSize } = contract;
  const prices = await engine.query({ type: "contract-prices", symbol });
  const mark = prices.ok ? Number(prices.value[0]?.markPrice ?? 0) : 0;
  if (mark === 0) return false;
  const size = onGrid(CONTRACT_NOTIONAL / mark, stepSize);
  await engine.execute(contractOrder(uid, symbol, "BUY", "LONG", size, null, openId));
  await engine.execute(contractOrder(uid, symbol, "SELL", "LONG", size, null, closeId));
  return true;
}

/** Settles now, so that the payments show before the next full hour. */
export async function settleEarly(engine: EngineClient): Promise<void> {
  const reason = "the demo shows settled commissions from the start";
  await engine.execute({ type: "settle-commissions", actor: ACTOR, reason });
}

async function payInternally(engine: EngineClient): Promise<void> {
  const [top, below] = DEMO_AFFILIATES;
  if (top === undefined || below === undefined) return;
  await engine.execute({
    type: "withdraw-internally",
    uid: top.uid,
    toUid: below.uid,
    asset: QUOTE_ASSET,
    amount: DEMO_INTERNAL_WITHDRAWAL,
    requestId: "demo-internal",
  });
}
