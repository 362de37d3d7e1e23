/** The engine, for those who stand outside: the rest of this folder is its own business. */
export { Engine, RULES_VERSION } from "./engine.ts";
