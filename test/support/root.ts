/** Where the repository lies. */
import { resolve } from "node:path";

export const ROOT = resolve(import.meta.dirname, "../..");
