/** The engine's public interface; other folders import only this file. */
export { Engine } from "./engine.ts";
export { RULES_VERSION } from "./rules-version.ts";
