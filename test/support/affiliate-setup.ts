/** Sets up affiliates and their invitees, through the operator API alone. */
import type { ExchangeProcess } from "./exchange-process.ts";
import { type Account, issueKey, openAccount, type Permission } from "./exchange-setup.ts";
import { SignedClient } from "./signed-client.ts";

export interface AffiliateRates {
  readonly spotRate: string;
  readonly futuresRate: string;
}

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Ten minutes behind a full hour that is early in a UTC day: while a test runs no settlement comes
 * of itself and no day ends.
 */
export async function passFullHour({ operator }: ExchangeProcess): Promise<void> {
  const day = Math.floor((Date.now() + 5 * MINUTE_MS) / DAY_MS) + 1;
  await operator.advanceClock(day * DAY_MS + HOUR_MS + 10 * MINUTE_MS - Date.now());
}

const RATES: AffiliateRates = { spotRate: "0.3", futuresRate: "0.4" };

export async function makeAffiliate(
  { operator }: ExchangeProcess,
  uid: number,
  rates: AffiliateRates = RATES,
  parentUid?: number,
): Promise<void> {
  const body = parentUid === undefined ? rates : { ...rates, parentUid };
  await operator.call("PUT", `/operator/v1/affiliates/${uid}`, body);
}

/** Registers a user as somebody's invitee; with a uid of the test's choice if it has one. */
export async function registerInvitee(
  { operator }: ExchangeProcess,
  inviterUid: number,
  uid?: number,
): Promise<number> {
  const path = `/operator/v1/users/${inviterUid}`;
  const { inviteCode } = await operator.call<{ inviteCode: string }>("GET", path);
  const body = uid === undefined ? { inviteCode } : { inviteCode, uid };
  return (await operator.call<{ uid: number }>("POST", "/operator/v1/users", body)).uid;
}

let depositsMade = 0;

export interface InviteeOptions {
  readonly permissions?: readonly Permission[];
  readonly spot?: Readonly<Record<string, string>>;
  readonly contract?: Readonly<Record<string, string>>;
}

/** An invitee with a key and funds. */
export async function openInvitee(
  exchange: ExchangeProcess,
  inviterUid: number,
  { permissions = ["read", "spot", "contract"], spot = {}, contract = {} }: InviteeOptions = {},
): Promise<Account> {
  const uid = await registerInvitee(exchange, inviterUid);
  const credentials = await issueKey(exchange, uid, permissions);
  for (const [account, funds] of Object.entries({ spot, contract })) {
    for (const [asset, amount] of Object.entries(funds)) {
      const id = `invitee-${process.pid}-${++depositsMade}`;
      const body = { id, account, asset, amount };
      await exchange.operator.call("POST", `/operator/v1/users/${uid}/deposits`, body);
    }
  }
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

/** An affiliate with a key for everything that affiliates may do. */
export async function openAffiliate(
  exchange: ExchangeProcess,
  rates: AffiliateRates = RATES,
  parentUid?: number,
): Promise<Account> {
  const { uid, client } = await openAccount(exchange);
  client.close();
  await makeAffiliate(exchange, uid, rates, parentUid);
  const credentials = await issueKey(exchange, uid, ["affiliate", "read", "spot"]);
  return { uid, credentials, client: new SignedClient(exchange.port, credentials) };
}

/** The v2 path of an affiliate call, and its twin in v3. */
export const V2_AFFILIATE = "/api/v2/rebate/affiliate";
export const V3_AFFILIATE = "/api/v3/rebate/affiliate";
