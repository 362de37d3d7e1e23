/** Builds what the exchange serves beside its API: the console and the reference page. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import "./docs-page.ts";

// The starter compares the time of this file with those of the sources.
const built = join(import.meta.dirname, "../dist/pages.built");
writeFileSync(built, `${new Date().toISOString()}\n`);
