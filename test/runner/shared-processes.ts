/**
 * Which test files share a process. To load Node and the modules that it needs takes more of the
 * processor than what most tests beside the code do.
 */
import { relative, sep } from "node:path";
import { ROOT } from "./suites.ts";

export type Files = readonly [string, ...string[]];

/** Few enough that all cores have work to the end. */
const FILES_MAX = 12;
/** Tests beside the code; the others start programs, and are long. */
const SHARING = /^(src|bench)\//;
/** They look at their process, or start programs, whose time is then known for each of them. */
const ALONE = /^src\/((cli|testing)\/|journal\/data-lock\.)/;

/** The files by processes, in their order. */
export function byProcess(files: readonly string[]): Files[] {
  const processes: [string, ...string[]][] = [];
  let open: [string, ...string[]] | null = null;
  for (const file of files) {
    const path = relative(ROOT, file).replaceAll(sep, "/");
    if (!SHARING.test(path) || ALONE.test(path)) {
      processes.push([file]);
    } else if (open !== null && open.length < FILES_MAX) {
      open.push(file);
    } else {
      open = [file];
      processes.push(open);
    }
  }
  return processes;
}
