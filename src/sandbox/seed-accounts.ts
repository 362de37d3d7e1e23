/** Users of the demo and their funds: each is registered and funded once. */
import type { EngineClient } from "../protocol/index.ts";
import { ACTOR, must } from "./seed-command.ts";

/**
 * The code that the user registers with. Codes are derived from the uid, so every start knows them.
 */
function inviteCodeOf(uid: number): string {
  return `DEMO${uid}`;
}

/** False when there is no such user, or the uid belongs to a user outside the demo. */
export async function isDemoUser(engine: EngineClient, uid: number): Promise<boolean> {
  const user = await engine.query({ type: "user", uid });
  return user.ok && user.value.inviteCode === inviteCodeOf(uid);
}

/** Existing users stay as they are: an invitee's inviter never changes. */
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

/** From the spot wallet. A withdrawal whose funds were already spent is left out. */
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
