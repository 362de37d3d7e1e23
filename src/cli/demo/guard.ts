/**
 * Ends PostgreSQL, and an exchange that makes the demo's market, when the demo itself is gone: a
 * shell that reads from the demo which processes there are, and stops them once it hears no more.
 * The other exchanges notice by themselves.
 */
import { type ChildProcess, spawn } from "node:child_process";

const SCRIPT = `trap '' INT TERM HUP
pids=
while read -r line; do pids=$line; done
for pid in $pids; do kill -QUIT "$pid" 2>/dev/null; done`;

export class Guard {
  readonly #child: ChildProcess;

  constructor() {
    // A Ctrl-C is for the demo, which then stops everything in order.
    this.#child = spawn("/bin/sh", ["-c", SCRIPT], {
      detached: true,
      stdio: ["pipe", "ignore", "ignore"],
    });
    this.#child.stdin?.on("error", () => undefined);
  }

  watch(pids: readonly number[]): void {
    this.#child.stdin?.write(`${pids.join(" ")}\n`);
  }

  /** When nothing is left to be stopped. */
  end(): void {
    this.watch([]);
    this.#child.stdin?.end();
  }
}
