/**
 * Nobody sends anything: what is due happens at its time nevertheless, also when the exchange
 * waited for something later before it learned of it.
 */
import { hold } from "../breach.ts";
import { SYMBOL } from "../markets.ts";
import { readClock, readTime } from "../sandbox-clock.ts";
import type { Trader } from "../trader.ts";
import type { Scene, Stage } from "./stage.ts";

const LENGTHS_MS = { least: 1_000, most: 10_000 };
const ROUNDS_MAX = 2;
/** The exchange wakes up at the most so much later, by its own clock. */
const LATE_MS = 500;
/** For which nobody has sent anything before. */
const CALM_MS = [0, 1_000, 3_000];

export const quiet: Scene = async (stage) => {
  const { random, traders } = stage;
  for (let rounds = random.integer(1, ROUNDS_MAX); rounds > 0; rounds--) {
    await waitForOne(stage, random.pick([...traders]));
  }
};

async function waitForOne(stage: Stage, trader: Trader): Promise<void> {
  const { exchange, random } = stage;
  if (exchange.sandbox && (await readClock(exchange)).speed !== 1) return;
  await stage.pass(random.pick(CALM_MS));
  const product = random.pick(["spot", "contract"] as const);
  const path = `${product === "spot" ? "/api" : "/capi"}/v3/order/cancelAllAfter`;
  const countdownMs = random.integer(LENGTHS_MS.least, LENGTHS_MS.most);
  if (!(await stage.send(trader, "POST", path, { symbol: SYMBOL, countdownMs }))) return;
  const { switches } = await stage.look();
  const set = switches.find((one) => {
    return one.uid === trader.uid && one.product === product && one.symbol === SYMBOL;
  });
  if (set === undefined || set.isHeld) return;
  const { firesAtMs } = set;
  const before = await readTime(stage.exchange);
  await stage.pass(Math.max(0, firesAtMs - before) + 2 * LATE_MS);
  // A wall clock that was set back may still be behind.
  const after = await readTime(stage.exchange);
  await stage.look();
  if (after < firesAtMs + LATE_MS) return;
  const isInTime = exchange.story.times.some((timeMs) => {
    return timeMs >= firesAtMs && timeMs <= firesAtMs + LATE_MS;
  });
  const detail = () => `${countdownMs} ms from ${before}, due at ${firesAtMs}, now ${after}`;
  hold(isInTime, "a countdown ends at its time, whoever sends something", detail);
}
