/** Waiting inside work that the machine already waits for. */
import type { Scheduler } from "../../src/platform/index.ts";

interface Machine {
  readonly life: { readonly time: Pick<Scheduler, "after"> };
}

export function passTime({ life }: Machine, ms: number): Promise<void> {
  return new Promise((resolve) => {
    life.time.after(ms, resolve);
  });
}
