/**
 * Runs test files one after the other in this process: Node, and the modules that they have in
 * common, are loaded once. Each is a group of its own, so that its hooks are for its tests alone.
 */
import { describe } from "node:test";
import { pathToFileURL } from "node:url";
import { fileMark } from "./file-mark.ts";

// A test that only waits for an unreferenced timer is not the end of the files after it.
const held = setInterval(() => undefined, 60_000);
for (const file of process.argv.slice(2)) {
  const startedMs = performance.now();
  const startedCpu = process.cpuUsage();
  console.log(fileMark({ file, end: null }));
  // Resolves when its tests and hooks have ended, however they did.
  await describe(file, async () => {
    await import(pathToFileURL(file).href);
  });
  const { system, user } = process.cpuUsage(startedCpu);
  const durationMs = performance.now() - startedMs;
  console.log(fileMark({ file, end: { durationMs, processorSeconds: (system + user) / 1e6 } }));
}
clearInterval(held);
