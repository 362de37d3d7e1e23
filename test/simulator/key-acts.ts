/** Keys that may do only some things, and for which it ends when they are revoked. */
import { ERRORS } from "../../src/api/errors.ts";
import { PERMISSIONS } from "../../src/domain/index.ts";
import type { Credentials } from "../support/signed-client.ts";
import type { Acts, TraderAct } from "./act.ts";
import { hold } from "./breach.ts";
import { SYMBOL } from "./markets.ts";
import { operate } from "./operate.ts";

const DENIED = ERRORS["permission-denied"].v3;
const UNKNOWN = ERRORS["unknown-key"].v3;

const SPOT_TERMS = { symbol: SYMBOL, side: "BUY", type: "LIMIT", timeInForce: "GTC" };

/** A call, and the permissions of which it needs one. */
const CALLS = [
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

export const KEY_ACTS: Acts<TraderAct> = {
  "spot-key": [2, limitedKey],
  "contract-key": [1, limitedKey],
};
