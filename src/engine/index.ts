/** The engine, for those who stand outside: the rest of this folder is its own business. */
export { Engine } from "./engine.ts";
export { RULES_VERSION } from "./rules-version.ts";
