/** `npm run build`: what a package needs beside the sources, the client and the console. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

const ROOT = join(import.meta.dirname, "..");
const PACKAGE = ["-p", join(ROOT, "tsconfig.package.json")];

execFileSync(join(ROOT, "node_modules/.bin/tsc"), PACKAGE, { stdio: "inherit" });
await import("./console.ts");
