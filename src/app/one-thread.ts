/**
 * The machine for an exchange that has one thread: what threads do otherwise is done between its
 * other work. Without workers it starts faster and needs less memory, and several of them fit into
 * a process.
 */
import { inlineThreads, NODE_PLATFORM, type Platform } from "../platform/index.ts";
import { THREAD_BODIES } from "./thread-bodies.ts";

export const ONE_THREAD: Platform = {
  ...NODE_PLATFORM,
  threads: inlineThreads(THREAD_BODIES, () => ONE_THREAD),
  // No gateway has a thread, so none shares its port.
  network: { ...NODE_PLATFORM.network, sharesPorts: false },
};
