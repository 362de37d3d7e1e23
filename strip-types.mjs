/**
 * Lets Node run the program where it is installed as a package: Node removes the types of
 * TypeScript files by itself, but not of those below a `node_modules`. Loaded with `--import`,
 * which worker threads inherit.
 */
import { readFileSync } from "node:fs";
import { registerHooks, stripTypeScriptTypes } from "node:module";

registerHooks({
  load(url, context, nextLoad) {
    if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
    const source = stripTypeScriptTypes(readFileSync(new URL(url), "utf8"));
    return { format: "module", shortCircuit: true, source };
  },
});
