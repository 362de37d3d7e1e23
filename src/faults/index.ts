/** Faults on demand in a sandbox: rules, what traffic meets of them, and the log of requests. */
export { FaultMemory } from "./fault-memory.ts";
export { FaultRegistry, type RuleView } from "./fault-registry.ts";
export {
  isAboutStreams,
  type PlacedRule,
  type RequestFault,
  type RequestHit,
  type StreamFault,
} from "./fault-rules.ts";
export { channelsOf, targetsOf } from "./fault-targets.ts";
export { SandboxTraffic, type TrafficAnswer, type TrafficCall } from "./sandbox-traffic.ts";
