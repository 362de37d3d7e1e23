/** `npm run audit`: asks the registry for known vulnerabilities of what is shipped. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { auditVerdict } from "./audit-report.ts";

const ROOT = join(import.meta.dirname, "..");
const ANSWER_BYTES_MAX = 64 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

const { stdout } = spawnSync("npm", ["audit", "--json"], {
  cwd: ROOT,
  encoding: "utf8",
  maxBuffer: ANSWER_BYTES_MAX,
  timeout: TIMEOUT_MS,
});
const lock = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
const { exitCode, lines } = auditVerdict(stdout ?? "", lock);
console.log(lines.join("\n"));
process.exitCode = exitCode;
