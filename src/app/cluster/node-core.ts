/** What a node is built on: a recovered state, and what answers from it. */
import type { QuorumLog } from "../../journal/index.ts";
import type { Core, State } from "../core.ts";
import type { NodeEngine } from "./node-engine.ts";

export type NodeCore = Core & State<QuorumLog> & { readonly served: NodeEngine };
