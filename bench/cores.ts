/** Which cores the processes of a benchmark run on, and how much of them they have used. */
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";

const BROWSER = /chrom|headless/;
/** Of Linux, wherever Node runs. */
const TICKS_PER_SECOND = 100;

/** Assigns the last core to the browser and the others to the rest; false if impossible. */
export function pinToCores(): boolean {
  const cores = availableParallelism();
  if (process.platform !== "linux" || cores < 2) return false;
  const others = cores === 2 ? "0" : `0-${cores - 2}`;
  try {
    for (const { pid, name } of family(process.pid)) {
      const isBrowser = BROWSER.test(name);
      const list = isBrowser ? String(cores - 1) : others;
      execFileSync("taskset", ["-a", "-p", "-c", list, String(pid)], { stdio: "ignore" });
    }
    return true;
  } catch {
    return false;
  }
}

interface Relative {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
}

/** A process with all its descendants. */
function family(root: number): Relative[] {
  const all = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((entry): Relative[] => {
      try {
        const stat = readFileSync(`/proc/${entry}/stat`, "utf8");
        const name = stat.slice(stat.indexOf("(") + 1, stat.lastIndexOf(")"));
        const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
        return [{ pid: Number(entry), name, parent }];
      } catch {
        // It has ended in the meantime.
        return [];
      }
    });
  const pids = new Set([root]);
  for (let found = 0; found < pids.size; ) {
    found = pids.size;
    for (const { pid, parent } of all) if (pids.has(parent)) pids.add(pid);
  }
  return all.filter(({ pid }) => pids.has(pid));
}

/** Processor time of all processes of the browser so far, in ms; null where it cannot be read. */
export function browserCpuMs(): number | null {
  if (process.platform !== "linux") return null;
  const ticks = family(process.pid)
    .filter(({ name }) => BROWSER.test(name))
    .map(({ pid }) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return Number(fields[11]) + Number(fields[12]);
      } catch {
        return 0;
      }
    });
  return (ticks.reduce((sum, each) => sum + each, 0) * 1000) / TICKS_PER_SECOND;
}
