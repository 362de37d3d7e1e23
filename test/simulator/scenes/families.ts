/**
 * Users of a scene's own, whom nobody else knows: an affiliate above others, each of which has
 * invited somebody. What they earn begins with the scene, so that its edges are known.
 */
import type { Credentials } from "../../support/signed-client.ts";
import { SYMBOL } from "../markets.ts";
import type { Product } from "../orders.ts";
import type { SimulatedExchange } from "../simulated-exchange.ts";
import { Trader } from "../trader.ts";
import { setRates } from "./referrals.ts";
import type { Stage } from "./stage.ts";

const KEY = {
  label: "family",
  permissions: ["read", "spot", "contract", "affiliate"],
  passphrase: "passphrase",
};
const MONEY = {
  spot: [
    { account: "spot", asset: "BTC", amount: "3" },
    { account: "spot", asset: "USDT", amount: "3000" },
  ],
  contract: [{ account: "contract", asset: "USDT", amount: "50000" }],
} as const;

export interface Member {
  readonly trader: Trader;
  readonly inviteCode: string;
}

const WITH_FAMILIES = new WeakSet<SimulatedExchange>();

/** Whether traders may have met somebody of a family, as with an order that came late. */
export function hasFamily(exchange: SimulatedExchange): boolean {
  return WITH_FAMILIES.has(exchange);
}

export async function newMember(
  { exchange }: Stage,
  invitedBy: Member | null = null,
): Promise<Member> {
  WITH_FAMILIES.add(exchange);
  const invited = invitedBy === null ? {} : { inviteCode: invitedBy.inviteCode };
  const user = await exchange.operator<{ readonly uid: number; readonly inviteCode: string }>(
    "POST",
    "users",
    invited,
  );
  const { inviteCode, uid } = user;
  const key = await exchange.operator<Credentials>("POST", `users/${uid}/api-keys`, KEY);
  return { inviteCode, trader: new Trader(exchange, `u${uid}`, uid, key) };
}

export async function fund(stage: Stage, { trader }: Member, product: Product): Promise<void> {
  for (const movement of MONEY[product]) await stage.move(trader, "deposits", movement);
}

/** An affiliate below another one, with a lower rate. */
export async function newAffiliate(stage: Stage, above: Member | null): Promise<Member> {
  const member = await newMember(stage, above);
  const rate = above === null ? "0.4" : "0.1";
  await setRates(stage, member.trader.uid, rate, above?.trader.uid);
  return member;
}

/**
 * Whether the market trades and no trader waits in it: of their fills both sides are known. Clients
 * of their own may wait there all the same.
 */
export async function emptyBook(stage: Stage, product: Product): Promise<boolean> {
  await stage.clear(product, SYMBOL);
  const market = await stage.marketOf(product);
  const uids = new Set(stage.traders.map(({ uid }) => uid));
  const isFree = market?.resting.every(({ uid }) => !uids.has(uid)) === true;
  return isFree && market?.state === "trading";
}

/** Whatever of theirs was left waiting would meet those who know nobody but each other. */
export async function leave(
  stage: Stage,
  members: readonly Trader[],
  product: Product,
): Promise<void> {
  for (const trader of members) await stage.do(trader.cancelAll(product, SYMBOL));
}
