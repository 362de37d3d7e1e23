/** Processor time of the process's threads by name, where the system tells it (Linux). */
import { readdirSync, readFileSync } from "node:fs";

const TASKS = "/proc/self/task";
const NANOSECONDS = 1e9;

/** Seconds by name; threads of one name together. Empty where the system does not tell. */
export function threadSeconds(): ReadonlyMap<string, number> {
  const seconds = new Map<string, number>();
  for (const task of tasks()) {
    try {
      const name = readFileSync(`${TASKS}/${task}/comm`, "utf8").trimEnd();
      const [running = "0"] = readFileSync(`${TASKS}/${task}/schedstat`, "utf8").split(" ");
      const named = name === "node-MainThread" ? "engine" : name;
      seconds.set(named, (seconds.get(named) ?? 0) + Number(running) / NANOSECONDS);
    } catch {
      // The thread ended while it was being looked at.
    }
  }
  return seconds;
}

function tasks(): readonly string[] {
  try {
    return readdirSync(TASKS);
  } catch {
    return [];
  }
}
