/**
 * Loaded before a test file that makes millions of promises. Node's tests follow each of them, to
 * know which test declares another one or fails late: that took more of the processor than the
 * journal that was tested. A file with this declares tests only at its top, or with its context.
 */
import asyncHooks from "node:async_hooks";
import { createRequire, syncBuiltinESMExports } from "node:module";

const { createHook } = asyncHooks;
asyncHooks.createHook = (options) => createHook({ ...options, trackPromises: false });
syncBuiltinESMExports();
createRequire(import.meta.url)("node:test");
asyncHooks.createHook = createHook;
syncBuiltinESMExports();
