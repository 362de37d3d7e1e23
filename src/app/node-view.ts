/** What the servers of a node say about it. */

import type { OperatorAnswer } from "../api/operator/routes.ts";
import type { EngineClient } from "../protocol/index.ts";
import type { DemoParent } from "./cluster/demo-parent.ts";
import type { Promotion } from "./cluster/hand-over.ts";

export interface NodeStatus {
  readonly node: string;
  readonly role: "leader" | "follower";
  /** The name of the node that leads; null while nobody is known to. */
  readonly leader: string | null;
  /** Everything that was durable this long ago is here. */
  readonly lagMs: number;
}

export interface NodeView {
  /** The state of this node, as far as it is. */
  readonly engine: EngineClient;
  /** The same at once, also without a quorum. */
  readonly present: EngineClient;
  status(): NodeStatus;
  /** All nodes, as this one sees them; also without a quorum. */
  cluster(): Promise<OperatorAnswer<"getCluster">>;
  /** Resolves when the node of this name leads, or does not. */
  promote(node: string): Promise<Promotion>;
  /** Null in a node that no demo started. */
  readonly demo: DemoParent | null;
  /**
   * Null when this node knows which keys are in force. Otherwise resolves when it does, with null,
   * or after a while with why it does not.
   */
  whenSigningIn(): Promise<string | null> | null;
}
