/** Users of the demo and their funds: each is registered and funded once. */
import type { EngineClient } from "../protocol/index.ts";
import { ACTOR, must } from "./seed-command.ts";

/** Whose code somebody registers with; it belongs to the uid, so that every start knows it. */
function inviteCodeOf(uid: number): string {
  return `DEMO${uid}`;
}

/** False when there is no such user, or one who is not the demo's. */
export async function isDemoUser(engine: EngineClient, uid: number): Promise<boolean> {
  const user = await engine.query({ type: "user", uid });
  return user.ok && user.value.inviteCode === inviteCodeOf(uid);
}

/** Who is there already stays as it is: whose invitee somebody is never changes. */
export async function seedUser(
  engine: EngineClient,
  uid: number,
  inviterUid: number | null = null,
  kyc = true,
): Promise<void> {
  const present = await engine.query({ type: "user", uid });
  if (present.ok) return;
  await must(engine, {
    type: "register-user",
    actor: ACTOR,
    uid,
    inviteCode: inviteCodeOf(uid),
    invitedWith: inviterUid === null ? null : inviteCodeOf(inviterUid),
    kyc,
  });
}

/** The request id is that of the first start, so later starts repeat it without effect. */
export async function seedFunds(
  engine: EngineClient,
  uid: number,
  funds: Readonly<Record<string, string>>,
): Promise<void> {
  for (const [asset, amount] of Object.entries(funds)) {
    await must(engine, movement("deposit-funds", uid, `demo-${asset}`, asset, amount));
  }
}

/** Of the spot wallet. What cannot be paid out, because it was spent, is left out. */
export async function seedWithdrawal(
  engine: EngineClient,
  uid: number,
  asset: string,
  amount: string,
): Promise<void> {
  const requestId = `demo-withdrawal-${asset}`;
  await engine.execute(movement("withdraw-funds", uid, requestId, asset, amount));
}

function movement<Type extends "deposit-funds" | "withdraw-funds">(
  type: Type,
  uid: number,
  requestId: string,
  asset: string,
  amount: string,
) {
  return { type, actor: ACTOR, requestId, uid, wallet: "spot" as const, asset, amount };
}
