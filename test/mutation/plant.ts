/**
 * Loaded before everything else into each process and thread of a test: the module of the mutant
 * comes with it; on disk nothing changes. The variable has the mutant as JSON.
 */
import { registerHooks } from "node:module";
import { type Mutant, mutated } from "./mutant-text.ts";

const { RIALTO_MUTANT } = process.env;
if (RIALTO_MUTANT !== undefined) {
  const mutant = JSON.parse(RIALTO_MUTANT) as Mutant;
  const target = new URL(`../../${mutant.file}`, import.meta.url).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      return { ...loaded, source: mutated(String(loaded.source), mutant) };
    },
  });
}
