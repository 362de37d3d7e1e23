/** Requests up to the rate limits and beyond: what is refused is exactly what must be. */
import type { InlineAnswer } from "../support/inline-http.ts";
import type { Acts, TraderAct } from "./act.ts";
import { hold } from "./breach.ts";
import type { Pools } from "./limit-pools.ts";
import { passTime } from "./pass-time.ts";

/** Of an endpoint that nobody else uses where there are limits, for the address and the user. */
export const LIMITED_PATH = "/capi/v3/sim/order/history";
const WEIGHT = 10;
/** More than an address may send. */
const REQUESTS_MAX = 75;
/** Around the time in which there is room for another one. */
const PAUSES_MS = [1, 199, 200, 201, 1_000];

/**
 * Two addresses and as many users as there are, in turn, until some are refused; or first one user
 * from both addresses, until all it sends is refused, and then another from one of them.
 */
export const reachLimits: TraderAct = async ({ exchange }, random) => {
  const { clients, life, limits } = exchange;
  if (limits === null || limits.isBusy) return;
  limits.isBusy = true;
  try {
    const addresses = [exchange.newAddress(), exchange.newAddress()] as const;
    const own = random.chance(0.5) ? addresses.slice(0, 1) : addresses;
    const users = random.shuffle([...clients]).slice(0, random.integer(1, 3));
    const [first, second] = users;
    const isInTurns = second !== undefined && random.chance(0.5);
    const requests = random.integer(REQUESTS_MAX - 20, REQUESTS_MAX) * (isInTurns ? 2 : 1);
    for (let sent = 0; sent < requests; sent++) {
      const isSecond = sent >= requests / 2;
      const user = (isInTurns ? (isSecond ? second : first) : null) ?? random.pick(users);
      const address = isInTurns && isSecond ? addresses[0] : random.pick([...own]);
      const request = exchange.signedAs(user, "GET", LIMITED_PATH, null);
      const headers = { ...request.headers, "X-Forwarded-For": address };
      const nowMs = life.time.nowMs;
      const isFree = limits.pools.take([address, user.apiKey], WEIGHT, nowMs);
      const outcome = await exchange.send("public", { ...request, headers });
      if (outcome === null) return;
      const isAdmitted = outcome.status !== 429;
      const detail = () => `${address} ${user.apiKey} at ${nowMs}: ${outcome.status}`;
      hold(isAdmitted === isFree, "limits are the published ones", detail);
      if (!isAdmitted) checkWait(outcome, limits.pools, [address, user.apiKey], WEIGHT, nowMs);
      if (random.chance(0.06)) await passTime(exchange, random.pick(PAUSES_MS));
    }
  } finally {
    limits.isBusy = false;
  }
};

/** Who waits for as long as it is told is let through, and not a second sooner. */
function checkWait(
  { retryAfterS = 0 }: InlineAnswer,
  pools: Pools,
  names: readonly string[],
  weight: number,
  nowMs: number,
): void {
  const isDue = pools.isWait(retryAfterS, names, weight, nowMs);
  hold(isDue, "a refusal says when to come back", () => `${names} at ${nowMs}: ${retryAfterS} s`);
}

/** Of which an address takes nothing from the limits of the call. */
const FREE_PATH = "/api/v2/trade/cancel-batch-orders";
const FAILURES_MAX = 540;

/** Requests that nobody has signed, from one address: beyond its failures it only has to wait. */
const fail: TraderAct = async ({ exchange }, random) => {
  const { clients, life, limits } = exchange;
  const [client] = clients;
  if (limits === null || limits.isBusy || client === undefined) return;
  limits.isBusy = true;
  try {
    const address = exchange.newAddress();
    const strangers = [
      { ...client, apiKey: "nobody" },
      { ...client, secret: "0".repeat(client.secret.length) },
      { ...client, passphrase: "something" },
    ];
    for (let count = FAILURES_MAX; count > 0; count--) {
      const request = exchange.signedAs(random.pick(strangers), "POST", FREE_PATH, "{}");
      const headers = { ...request.headers, "X-Forwarded-For": address };
      const nowMs = life.time.nowMs;
      const isFree = limits.pools.take([`failures of ${address}`], 1, nowMs);
      const outcome = await exchange.send("public", { ...request, headers });
      if (outcome === null) return;
      const isTold = outcome.status !== 429;
      const detail = () => `${address}, ${FAILURES_MAX - count} before: ${outcome.status}`;
      hold(isTold === isFree && outcome.status !== 200, "failures are limited", detail);
      const names = [`failures of ${address}`];
      if (!isTold) checkWait(outcome, limits.pools, names, 1, nowMs);
      if (random.chance(0.01)) await passTime(exchange, random.pick(PAUSES_MS));
    }
  } finally {
    limits.isBusy = false;
  }
};

export const LIMIT_ACTS: Acts<TraderAct> = {
  "spot-limits": [5, reachLimits],
  "contract-limits": [5, reachLimits],
  "spot-failures": [1, fail],
  "contract-failures": [1, fail],
};
