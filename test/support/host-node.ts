/**
 * The Node with which npm runs here: older than the pinned one on many machines. Without npm it is
 * the one that runs the tests.
 */
import { spawnSync } from "node:child_process";

const path = process.env.npm_node_execpath ?? process.execPath;
const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });

export const HOST_NODE = { path, version: stdout.trim().replace(/^v/, "") };
