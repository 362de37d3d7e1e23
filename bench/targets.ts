/**
 * What the exchange promises about its speed: for each measure a floor and an aim. Benchmarks
 * report; they never fail for being slow, because machines differ.
 */

export interface Target {
  readonly what: string;
  readonly unit: string;
  readonly better: "higher" | "lower";
  readonly floor: number;
  /** Absent where the floor is all that is asked. */
  readonly aim?: number;
}

export const TARGETS = {
  engineCpu: {
    what: "engine thread, processor time of an order",
    unit: "us/order",
    better: "lower",
    floor: 8,
    aim: 5,
  },
  gatewayCpu: {
    what: "gateway thread, processor time of an order ÷ hello GET",
    unit: "",
    better: "lower",
    floor: 2.5,
    aim: 1.8,
  },
  ordersToHello: {
    what: "signed durable orders ÷ hello GET, no gateways, 64 connections",
    unit: "",
    better: "higher",
    floor: 0.4,
    aim: 0.55,
  },
  socketToHello: {
    what: "orders over WebSocket ÷ hello GET, one gateway, 64 × 4 in flight",
    unit: "",
    better: "higher",
    floor: 0.8,
    aim: 1.25,
  },
  fourGateways: {
    what: "four gateways ÷ one, 1,024 connections",
    unit: "",
    better: "higher",
    // Four times within a quarter.
    floor: 3,
  },
  halfLoadP99: {
    what: "p99 at half load, open loop, 256 connections",
    unit: "ms",
    better: "lower",
    floor: 5,
    aim: 2.5,
  },
  contractEngine: {
    what: "contract engine, 1,000 resting orders",
    unit: "commands/s",
    better: "higher",
    floor: 250_000,
    aim: 400_000,
  },
  spotWithContracts: {
    what: "spot engine with contracts listed ÷ without",
    unit: "",
    better: "higher",
    floor: 0.95,
    aim: 1,
  },
  subscribers: {
    what: "orders with 1,000 subscribers ÷ with none",
    unit: "",
    better: "higher",
    floor: 0.9,
    aim: 0.97,
  },
  plainSubscribers: {
    what: "the same, uncompressed",
    unit: "",
    better: "higher",
    floor: 0.9,
    aim: 0.97,
  },
  largeFill: {
    what: "p99 of other users while one order fills 10,000",
    unit: "ms",
    better: "lower",
    floor: 50,
    aim: 20,
  },
  testStart: {
    what: "start of a test exchange, median",
    unit: "ms",
    better: "lower",
    floor: 300,
    aim: 200,
  },
  testStartCpu: {
    what: "the same, processor time",
    unit: "s",
    better: "lower",
    floor: 0.35,
    aim: 0.25,
  },
  testMemory: {
    what: "the same, peak of resident memory",
    unit: "MB",
    better: "lower",
    floor: 120,
    aim: 100,
  },
  testsTogether: {
    what: "eight test exchanges in one process, peak of resident memory",
    unit: "MB",
    better: "lower",
    floor: 250,
    aim: 200,
  },
  replay: {
    what: "replay of a recorded market, as fast as possible",
    unit: "messages/s",
    better: "higher",
    floor: 20_000,
  },
  restore: {
    what: "restore of a sandbox, median, 1,000 orders and 100 users",
    unit: "ms",
    better: "lower",
    floor: 150,
    aim: 50,
  },
  faultRules: {
    what: "requests a second after a fault rule was removed / before any was set",
    unit: "",
    better: "higher",
    floor: 0.95,
  },
  webhooks: {
    what: "engine thread, an order with a webhook for fills of a user in eight / without",
    unit: "",
    better: "lower",
    floor: 1.03,
  },
  quorumOrders: {
    what: "orders with a quorum ÷ with files, 256 connections",
    unit: "",
    better: "higher",
    floor: 0.6,
  },
  threeNodesRead: {
    what: "signed reads of three nodes ÷ of one",
    unit: "",
    better: "higher",
    floor: 2.5,
  },
  takeover: {
    what: "takeover by another node, p95",
    unit: "s",
    better: "lower",
    floor: 5,
  },
  pageBytes: {
    what: "trade page on the wire, signed out, with its data",
    unit: "kB",
    better: "lower",
    floor: 260,
  },
  pageUsable: {
    what: "until the trade page can be used, browser on one core",
    unit: "s",
    better: "lower",
    floor: 1.2,
  },
  pageUpdates: {
    what: "updates that the trade page receives meanwhile",
    unit: "updates/s",
    better: "higher",
    floor: 200,
  },
  pageFrames: {
    what: "frames of the trade page meanwhile",
    unit: "frames/s",
    better: "higher",
    floor: 50,
    aim: 59,
  },
  pageHeap: {
    what: "heap of the trade page, last third ÷ first third",
    unit: "",
    better: "lower",
    floor: 1.1,
    aim: 1.02,
  },
  clock: {
    what: "90 days of a sandbox's clock",
    unit: "s",
    better: "lower",
    floor: 5,
    aim: 1,
  },
} as const satisfies Readonly<Record<string, Target>>;

export type TargetId = keyof typeof TARGETS;

export type Verdict = "missed" | "floor met" | "aim met";

export function judge(target: Target, value: number): Verdict {
  const { better, floor, aim } = target;
  const reaches = (bound: number): boolean =>
    better === "higher" ? value >= bound : value <= bound;
  if (!reaches(floor)) return "missed";
  return aim !== undefined && reaches(aim) ? "aim met" : "floor met";
}
