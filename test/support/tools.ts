/**
 * Programs that some tests need and not every machine has. A test without its tools is skipped with
 * a reason, never passed:
 *
 *     test("…", { skip: lacking("curl", "openssl") }, …)
 */
import { spawnSync } from "node:child_process";

const LACKING = "this machine has no ";

/** The reason not to run a test; false on a machine that has all of them. */
export function lacking(...tools: readonly string[]): string | false {
  const missing = tools.filter((tool) => spawnSync(tool, ["--version"]).error !== undefined);
  return missing.length === 0 ? false : `${LACKING}${missing.join(", ")}`;
}

/** The tools that such a reason names; none for any other reason. */
export function missingToolsOf(reason: string): readonly string[] {
  return reason.startsWith(LACKING) ? reason.slice(LACKING.length).split(", ") : [];
}
