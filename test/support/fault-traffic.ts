/** The traffic of a gateway in a test, with rules that are in force at once. */
import { FaultMemory, type PlacedRule, SandboxTraffic } from "../../src/faults/index.ts";
import { NODE_PLATFORM } from "../../src/platform/index.ts";

export type TestRule = Pick<PlacedRule, "fault"> & Partial<Pick<PlacedRule, "match" | "when">>;

export function openTraffic(...rules: readonly TestRule[]): SandboxTraffic {
  const traffic = new SandboxTraffic(new FaultMemory().memory, NODE_PLATFORM);
  traffic.rules.replace(
    rules.map(({ match = {}, when = {}, fault }, slot) => {
      return { id: `rule-${slot}`, slot, match, when, seed: 1, endsAtMs: null, fault };
    }),
  );
  return traffic;
}
