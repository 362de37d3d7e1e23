/**
 * Requests and logons that are signed too early or too late: each is good within a window around
 * the wall clock or exchange time, and nowhere else.
 */

import { ERRORS } from "../../src/api/errors.ts";
import type { Random } from "../support/random.ts";
import { logonParams } from "../support/trading-socket.ts";
import { hold } from "./breach.ts";
import { SOCKET_PATH } from "./entry.ts";
import { readTime } from "./sandbox-clock.ts";
import type { SimulatedExchange } from "./simulated-exchange.ts";
import { SimulatedSocket } from "./socket.ts";
import type { Trader } from "./trader.ts";

/** Either way around a clock. */
export const WINDOW_MS = 30_000;
/** What a request may take, either way. */
export const SLACK_MS = 1_000;
const AWAY_MS = [0, 28_500, 31_500, 60_000, 3_600_000, 86_400_000, 4_000_000_000];
const REQUESTS = 3;
const EXPIRED = ERRORS["timestamp-expired"].v3;

/** Of an exchange to which nobody else sends anything meanwhile. */
export async function probeTimestamps(trader: Trader, random: Random): Promise<void> {
  const { exchange } = trader;
  for (let count = REQUESTS; count > 0; count--) {
    const awayMs = random.pick(AWAY_MS) * (random.chance(0.5) ? 1 : -1);
    const asked = await clocksOf(exchange);
    const timestamp = exchange.signingTime(random.pick(asked) + awayMs - exchange.nowMs);
    const send = random.chance(0.7) ? ask : logOn;
    const isGood = await exchange.life.until(send(trader, timestamp));
    if (isGood === null) continue;
    const clocks = [...asked, ...(await clocksOf(exchange))];
    const distances = clocks.map((ms) => Math.abs(Number(timestamp) - ms));
    const isOut = distances.every((ms) => ms > WINDOW_MS + SLACK_MS);
    const isIn = distances.some((_, index) => {
      const later = distances[index + asked.length] ?? Number.POSITIVE_INFINITY;
      return Math.max(distances[index] ?? 0, later) < WINDOW_MS - SLACK_MS;
    });
    const detail = () => `${timestamp}, ${distances} ms away: ${isGood}`;
    hold(isGood ? !isOut : !isIn, "a request is good for its time", detail);
  }
}

/** The wall clock's time, and exchange time. */
async function clocksOf(exchange: SimulatedExchange): Promise<readonly number[]> {
  const { nowMs } = exchange;
  return [nowMs, await readTime(exchange)];
}

/** Whether it was taken for timely; null when nobody knows. */
async function ask({ credentials, exchange }: Trader, timestamp: string): Promise<boolean | null> {
  const aheadMs = Number(timestamp) - exchange.nowMs;
  const path = "/api/v3/account/";
  const request = exchange.signedAs(credentials, "GET", path, null, aheadMs);
  const answer = await exchange.send("public", request);
  if (answer === null || answer.status === 429 || answer.status === 503) return null;
  if (answer.status === 200) return true;
  hold(answer.status === EXPIRED.status, "answers", () => JSON.stringify(answer));
  return false;
}

async function logOn({ credentials, exchange }: Trader, timestamp: string) {
  const socket = await SimulatedSocket.open(exchange, SOCKET_PATH, {}, () => undefined);
  const params = logonParams(credentials, timestamp);
  const answer = (await socket?.ask({ method: "session.logon", params })) ?? null;
  socket?.close();
  exchange.checkRunning();
  exchange.trace("logon", answer);
  if (answer === null) return null;
  if (answer.status === 200) return true;
  const { code } = (answer.error ?? {}) as { readonly code?: unknown };
  return code === EXPIRED.code ? false : null;
}
