/**
 * Loaded before everything else into each process and thread of a test: the module of the mutant
 * comes with it; on disk nothing changes. The variables have the mutant as JSON, and the process
 * that shows it: whatever a test started ends with that one.
 */
import { registerHooks } from "node:module";
import { isMainThread } from "node:worker_threads";
import { type Plant, planted } from "./planted-text.ts";

const LOOK_EVERY_MS = 1_000;

const { RIALTO_MUTANT, RIALTO_MUTANT_SHOWN_BY } = process.env;
if (RIALTO_MUTANT_SHOWN_BY !== undefined && isMainThread) {
  setInterval(() => {
    try {
      process.kill(Number(RIALTO_MUTANT_SHOWN_BY), 0);
    } catch {
      process.exit(1);
    }
  }, LOOK_EVERY_MS).unref();
}
if (RIALTO_MUTANT !== undefined) {
  const mutant = JSON.parse(RIALTO_MUTANT) as Plant;
  const target = new URL(`../../${mutant.file}`, import.meta.url).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      return { ...loaded, source: planted(String(loaded.source), mutant) };
    },
  });
}
