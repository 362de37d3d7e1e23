/**
 * Users of a scene's own, whom nobody else knows: an affiliate above others, each of which has
 * invited somebody. What they earn begins with the scene, so that its edges are known.
 */
import type { Credentials } from "../../support/signed-client.ts";
import type { Product } from "../orders.ts";
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

export async function newMember(
  { exchange }: Stage,
  invitedBy: Member | null = null,
): Promise<Member> {
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
