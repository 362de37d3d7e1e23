/**
 * What a test exchange costs: time, processor time and memory of a start with an empty profile, by
 * the kit and the program as they are published, beside a Node that does nothing; and of eight
 * exchanges in one process. Each start is a cold process; compiled code is cached by the first.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type BenchRow, median, targetRow } from "./report.ts";
import { scaled } from "./scale.ts";

type Kit = typeof import("../src/testing/index.ts");

const ROOT = join(import.meta.dirname, "..");
const STARTS = scaled(15, 3);
const TOGETHER = 8;
/** Of `/proc/<pid>/stat` on every Linux. */
const TICKS_PER_SECOND = 100;
const KIB_PER_MB = 1000 / 1.024;

/** All in the units of the rows. */
interface Cost {
  readonly startMs: number;
  readonly cpuSeconds: number;
  readonly memoryMb: number;
}

export async function runStartBench(): Promise<readonly BenchRow[]> {
  execFileSync(process.execPath, [join(ROOT, "build/package.ts")], { stdio: ["ignore", 2, 2] });
  const kit = (await import(join(ROOT, "dist/testing/index.js"))) as Kit;
  await costOf(kit, 1);
  const idle: Cost[] = [];
  const one: Cost[] = [];
  for (let i = 0; i < STARTS; i++) {
    idle.push(costOfNode());
    one.push(await costOf(kit, 1));
  }
  const eight = await costOf(kit, TOGETHER);
  const node = medianCost(idle);
  const start = medianCost(one);
  const beside = (value: number, unit: string) => `node -e 0: ${value.toFixed(2)} ${unit}`;
  return [
    targetRow("testStart", start.startMs, beside(node.startMs, "ms")),
    targetRow("testStartCpu", known(start.cpuSeconds), beside(node.cpuSeconds, "s")),
    targetRow("testMemory", known(start.memoryMb), beside(node.memoryMb, "MB")),
    targetRow("testsTogether", known(eight.memoryMb), `${eight.startMs.toFixed(0)} ms`),
  ];
}

function known(value: number): number | null {
  return Number.isNaN(value) ? null : value;
}

function medianCost(costs: readonly Cost[]): Cost {
  const of = (name: keyof Cost): number => median(costs.map((cost) => cost[name]));
  return {
    startMs: of("startMs"),
    cpuSeconds: of("cpuSeconds"),
    memoryMb: of("memoryMb"),
  };
}

async function costOf(kit: Kit, count: number): Promise<Cost> {
  const begun = performance.now();
  const exchanges = count === 1 ? [await kit.startExchange()] : await kit.startExchanges(count);
  const startMs = performance.now() - begun;
  const cost = { startMs, ...costOfProcess(exchanges[0]?.pid ?? 0) };
  await Promise.all(exchanges.map((exchange) => exchange.stop()));
  return cost;
}

/** Of all threads, those that have ended too; not a number where the system does not tell. */
function costOfProcess(pid: number): Omit<Cost, "startMs"> {
  if (process.platform !== "linux") return { cpuSeconds: Number.NaN, memoryMb: Number.NaN };
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    .replace(/^.*\) /, "")
    .split(" ");
  const [user, system] = [Number(stat[11]), Number(stat[12])];
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const peakKib = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  return { cpuSeconds: (user + system) / TICKS_PER_SECOND, memoryMb: peakKib / KIB_PER_MB };
}

function costOfNode(): Cost {
  const script =
    "process.on('exit', () => { const { user, system } = process.cpuUsage();" +
    "console.log(user + system, process.resourceUsage().maxRSS) })";
  const begun = performance.now();
  const { stdout } = spawnSync(process.execPath, ["-e", script], { encoding: "utf8" });
  const startMs = performance.now() - begun;
  const [micros = 0, kib = 0] = stdout.split(" ").map(Number);
  return { startMs, cpuSeconds: micros / 1e6, memoryMb: kib / KIB_PER_MB };
}
