/** Keys that may do only some things, and for which it ends when they are revoked. */
import { ERRORS } from "../../src/api/errors.ts";
import { PERMISSIONS } from "../../src/domain/index.ts";
import type { Credentials } from "../support/signed-client.ts";
import type { Acts, TraderAct } from "./act.ts";
import { hold } from "./breach.ts";
import { SYMBOL } from "./markets.ts";
import { operate } from "./operate.ts";
import { readTime } from "./sandbox-clock.ts";

const DENIED = ERRORS["permission-denied"].v3;
const UNKNOWN = ERRORS["unknown-key"].v3;

const SPOT_TERMS = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };

/** A call, and the permissions of which it needs one. */
export const CALLS = [
  { method: "GET", path: "/api/v3/account/", body: null, anyOf: ["read", "spot"] },
  { method: "GET", path: "/capi/v3/account/balance", body: null, anyOf: ["read", "contract"] },
  {
    ...{ method: "POST", path: "/api/v3/order/test", anyOf: ["spot"] },
    body: { ...SPOT_TERMS, price: "1000.00", quantity: "0.001" },
  },
  {
    ...{ method: "POST", path: "/capi/v3/order/test", anyOf: ["contract"] },
    body: {
      ...{ ...SPOT_TERMS, positionSide: "LONG", price: "60000.0", quantity: "0.001" },
      newClientOrderId: "test",
    },
  },
];

const limitedKey: TraderAct = async ({ exchange, uid }, random) => {
  const permissions = PERMISSIONS.filter(() => random.chance(0.4));
  const terms = { label: "limited", permissions, passphrase: "passphrase" };
  const key = await operate(exchange, "POST", `users/${uid}/api-keys`, terms);
  if (key === null) return;
  const credentials = key as Credentials;
  const ask = async ({ body, method, path }: (typeof CALLS)[number]) => {
    const text = body === null ? null : JSON.stringify(body);
    const outcome = await exchange.send(
      "public",
      exchange.signedAs(credentials, method, path, text),
    );
    const { code } = (outcome?.body ?? {}) as { readonly code?: unknown };
    return outcome === null || outcome.status === 429 ? null : { ...outcome, code };
  };
  for (const call of CALLS) {
    const answer = await ask(call);
    if (answer === null) continue;
    const isDenied = answer.status === DENIED.status && answer.code === DENIED.code;
    const isDue = !permissions.some((permission) => call.anyOf.includes(permission));
    const detail = () => `${permissions} ${call.path}: ${JSON.stringify(answer)}`;
    hold(isDenied === isDue, "a key may do what it was given for", detail);
  }
  const path = `api-keys/${credentials.apiKey}`;
  const revoked = await operate(exchange, "DELETE", path);
  const answer = revoked === null ? null : await ask(random.pick(CALLS));
  if (answer === null) return;
  const isEnded = answer.status === UNKNOWN.status && answer.code === UNKNOWN.code;
  hold(isEnded, "a revoked key has ended", () => JSON.stringify(answer));
};

const ADDRESSES = ["127.0.0.1", "10.0.0.0/8", "192.168.0.1"];
const OWN_PATH = "/api/v3/apiKey";
const LIFE_MS = 3_600_000;

interface AskedKey {
  readonly permissions: readonly string[];
  readonly passphrase: string;
  readonly ipAllowList?: readonly string[];
  readonly expiresAt?: number;
}

/** A key that makes others: each is in no respect more than itself. */
const ownKeys: TraderAct = async ({ exchange, uid }, random) => {
  const some = <Value>(values: readonly Value[]) => values.filter(() => random.chance(0.5));
  const granted = PERMISSIONS.filter((permission) => permission !== "keys");
  const permissions = [...some(granted), "keys"];
  const ipAllowList = random.chance(0.6) ? ["127.0.0.1", ...some(ADDRESSES.slice(1))] : [];
  const nowMs = exchange.story.timeMs;
  const expiresAt = random.chance(0.5) ? nowMs + LIFE_MS : null;
  const terms = { label: "own", permissions, passphrase: "passphrase", ipAllowList };
  const key = await operate(exchange, "POST", `users/${uid}/api-keys`, terms);
  if (key === null) return;
  const ownPath = `api-keys/${(key as Credentials).apiKey}`;
  if ((await operate(exchange, "PATCH", ownPath, { expiresAt })) === null) return;
  for (let count = 0; count < OWN_KEYS; count++) {
    // Within all bounds, or beside one of them.
    const beyond = random.pick(["permissions", "addresses", "life", "nothing"]);
    const own = permissions.filter((permission) => permission !== "keys");
    const asked: AskedKey = {
      permissions:
        beyond === "permissions" || own.length === 0
          ? random.shuffle([...granted]).slice(0, 2)
          : own,
      passphrase: "passphrase",
      ...(beyond === "addresses"
        ? { ipAllowList: random.pick([[], ADDRESSES, some(ADDRESSES)]) }
        : random.pick([{}, { ipAllowList }])),
      ...(beyond === "life" ? { expiresAt: random.pick([0, nowMs + 2 * LIFE_MS]) } : {}),
    };
    const body = JSON.stringify(asked);
    const request = exchange.signedAs(key as Credentials, "POST", OWN_PATH, body);
    const headers = exchange.limits === null ? {} : { "X-Forwarded-For": "127.0.0.1" };
    const sent = { ...request, headers: { ...request.headers, ...headers } };
    const outcome = await exchange.send("public", sent);
    if (outcome === null || [401, 429, 503].includes(outcome.status)) continue;
    const isWithin =
      asked.permissions.every((permission) => own.some((one) => one === permission)) &&
      isWithinList(asked.ipAllowList ?? ipAllowList, ipAllowList) &&
      (expiresAt === null || asked.expiresAt === undefined);
    const detail = () => JSON.stringify([terms, asked, outcome]);
    const isMade = outcome.status === 200;
    if (isMade || !isWithin) hold(isMade === isWithin, CHECK, detail);
    // Meanwhile somebody may have set the clock beyond that moment.
    else
      hold((asked.expiresAt ?? expiresAt ?? Infinity) <= (await readTime(exchange)), CHECK, detail);
  }
  await operate(exchange, "DELETE", ownPath);
};

const OWN_KEYS = 5;
const CHECK = "a key makes no more than itself";

/** An empty list is everywhere. */
export function isWithinList(list: readonly string[], outer: readonly string[]): boolean {
  if (outer.length === 0) return true;
  return list.length > 0 && list.every((range) => outer.includes(range));
}

export const KEY_ACTS: Acts<TraderAct> = {
  "spot-own-keys": [3, ownKeys],
  "contract-own-keys": [2, ownKeys],
  "spot-key": [2, limitedKey],
  "contract-key": [1, limitedKey],
};
