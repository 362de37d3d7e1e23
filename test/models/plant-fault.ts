/** Puts a fault into a module on its way into this thread; on disk nothing changes. */
import { registerHooks } from "node:module";
import type { PlantedFault } from "./planted-fault.ts";

/** To be called before anything imports the module. */
export function plant({ file, original, faulty }: PlantedFault): void {
  const target = new URL(`../../src/${file}`, import.meta.url).href;
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== target) return loaded;
      const source = String(loaded.source);
      if (!source.includes(original)) throw new Error(`"${original}" does not stand in ${file}`);
      return { ...loaded, source: source.replaceAll(original, () => faulty) };
    },
  });
}
