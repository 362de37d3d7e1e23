/**
 * Processor time of the threads of another process, by name. Rates depend on what else a machine
 * does; the processor time of a request hardly does, and it says which thread limits the rate.
 *
 * Linux knows the threads of every process, and Node gives it the names of workers. Elsewhere the
 * exchange's own metrics tell the same, less exactly.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";

/** Seconds by name of the thread; threads of one name are added up. */
export type ThreadTimes = ReadonlyMap<string, number>;

/** Linux keeps this much of a name. */
const NAME_LENGTH = 15;
const NS_PER_SECOND = 1e9;
/** `utime` and `stime` of /proc are in these, on every Linux. */
const TICKS_PER_SECOND = 100;

export const HAS_PROC = existsSync("/proc/self/task");

/** The first thread is called `mainName`. */
export function readThreadTimes(pid: number, mainName: string): ThreadTimes {
  const times = new Map<string, number>();
  const folder = `/proc/${pid}/task`;
  for (const thread of readdirSync(folder)) {
    const read = readThread(`${folder}/${thread}`);
    if (read === null) continue;
    const name = Number(thread) === pid ? mainName : read.name;
    times.set(name, (times.get(name) ?? 0) + read.seconds);
  }
  return times;
}

/** Null for a thread that has ended in the meantime. */
function readThread(folder: string): { readonly name: string; readonly seconds: number } | null {
  try {
    const name = readFileSync(`${folder}/comm`, "utf8").trimEnd().slice(0, NAME_LENGTH);
    return { name, seconds: secondsOf(folder) };
  } catch {
    return null;
  }
}

/** In nanoseconds where the kernel counts them, else in hundredths of a second. */
function secondsOf(folder: string): number {
  if (existsSync(`${folder}/schedstat`)) {
    const [runNs] = readFileSync(`${folder}/schedstat`, "utf8").split(" ");
    return Number(runNs) / NS_PER_SECOND;
  }
  const stat = readFileSync(`${folder}/stat`, "utf8");
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** From the metrics of an exchange: by thread where they say so, else its first and the others. */
export function threadTimesOf(metrics: string, mainName: string): ThreadTimes {
  const times = new Map<string, number>();
  const pattern = /^rialto_thread_cpu_seconds\{[^}]*thread="([^"]+)"[^}]*\} (\S+)$/gm;
  for (const [, name = "", value] of metrics.matchAll(pattern)) times.set(name, Number(value));
  if (times.size === 0) times.set(mainName, gauge(metrics, "rialto_trading_cpu_seconds"));
  const named = total(times);
  times.set("others", Math.max(0, gauge(metrics, "rialto_cpu_seconds") - named));
  return times;
}

/** The sum of a gauge or counter over all its labels; 0 without one. */
export function gauge(metrics: string, name: string): number {
  const rows = metrics.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, "gm"));
  return [...rows].reduce((sum, [, value]) => sum + Number(value), 0);
}

/** Open connections of each gateway thread; empty where the exchange has none. */
export function connectionsByGateway(metrics: string): ReadonlyMap<string, number> {
  const pattern = /^rialto_\w*connections\{[^}]*"(gateway-\d+)"[^}]*\} (\d+)$/gm;
  return new Map([...metrics.matchAll(pattern)].map(([, name = "", open]) => [name, Number(open)]));
}

/** Microseconds of each thread for one of `count` requests. */
export function usEach(before: ThreadTimes, after: ThreadTimes, count: number): ThreadTimes {
  const entries = [...after].map(([name, seconds]): [string, number] => {
    return [name, ((seconds - (before.get(name) ?? 0)) / count) * 1e6];
  });
  return new Map(entries);
}

export function total(times: ThreadTimes): number {
  return [...times.values()].reduce((sum, time) => sum + time, 0);
}

/** "engine 21.3, journal 4.0 us": every thread that took a tenth of a microsecond. */
export function describeThreads(us: ThreadTimes): string {
  const known = [...us].filter(([, time]) => time >= 0.1).sort(([, a], [, b]) => b - a);
  return `${known.map(([name, time]) => `${name} ${time.toFixed(1)}`).join(", ")} us`;
}

/** The process that a starter hands over to: its only child, or itself. */
export function programOf(starterPid: number): number {
  const folder = `/proc/${starterPid}/task`;
  const children = readdirSync(folder).flatMap((thread) =>
    readFileSync(`${folder}/${thread}/children`, "utf8").split(" ").filter(Boolean).map(Number),
  );
  return children.length === 1 ? programOf(children[0] as number) : starterPid;
}
