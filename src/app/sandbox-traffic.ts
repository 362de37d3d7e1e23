/**
 * What the operator's side of a sandbox asks of a gateway, answered beside its public server; the
 * same in a gateway's thread and beside the engine.
 */

import type { SandboxTraffic, TrafficAnswer, TrafficCall } from "../faults/index.ts";
import { FaultMemory, FaultRegistry } from "../faults/index.ts";
import type { Platform } from "../platform/index.ts";

const LOOK_EVERY_MS = 2;
/** Looks in a row that find nothing: work may pass from one queue to another in between. */
const QUIET_LOOKS = 3;
const QUIET_WITHIN_MS = 10_000;

export async function answerTraffic(
  call: TrafficCall,
  traffic: SandboxTraffic,
  isQuiet: () => boolean,
  platform: Platform,
): Promise<TrafficAnswer> {
  switch (call.kind) {
    case "rules":
      traffic.rules.replace(call.rules);
      return true;
    case "requests":
      return traffic.log.find(call.question);
    case "quiet":
      return waitForQuiet(isQuiet, platform);
  }
}

async function waitForQuiet(
  isQuiet: () => boolean,
  { clock, scheduler }: Platform,
): Promise<boolean> {
  const untilMs = clock.monotonicMs() + QUIET_WITHIN_MS;
  for (let looks = 0; looks < QUIET_LOOKS; looks = isQuiet() ? looks + 1 : 0) {
    if (clock.monotonicMs() >= untilMs) return false;
    await new Promise<void>((resolve) => scheduler.after(LOOK_EVERY_MS, resolve));
  }
  return true;
}

/** The rules of an exchange; `callGateways` reaches all of its gateways. */
export function openFaults(
  counts: SharedArrayBuffer,
  { clock }: Platform,
  callGateways: (call: TrafficCall) => Promise<readonly TrafficAnswer[]>,
): FaultRegistry {
  const memory = new FaultMemory(counts);
  return new FaultRegistry({ memory, monotonicMs: () => clock.monotonicMs(), callGateways });
}
