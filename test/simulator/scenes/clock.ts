/** A sandbox's clock that is led to a moment and stands still there, as edges in time need. */
import { type Clock, readClock } from "../sandbox-clock.ts";
import type { Stage } from "./stage.ts";

export const DAY_MS = 86_400_000;

/** What it returns lets the clock go on as it did before. */
export async function freeze(stage: Stage): Promise<() => Promise<unknown>> {
  const { speed } = await readClock(stage.exchange);
  await stage.operate("POST", "sandbox/clock", { freeze: true });
  return () => stage.operate("POST", "sandbox/clock", { speed });
}

/** Whether it is that moment now; it is not when the moment has passed. */
export async function passTo(stage: Stage, setMs: number): Promise<boolean> {
  const { exchange } = stage;
  exchange.daysPassed++;
  if ((await readClock(exchange)).time < setMs) {
    await stage.operate("POST", "sandbox/clock", { setMs });
  }
  const { time }: Clock = await readClock(exchange);
  return time === setMs;
}
