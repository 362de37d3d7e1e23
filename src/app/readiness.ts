/** Whether the exchange accepts orders, for load balancers and orchestrators. */

/** Why a running exchange does not accept orders. */
export type NotReady =
  | "stopping"
  | "disk-nearly-full"
  // Of a node of a cluster.
  | "behind"
  | "taking-over"
  | "no-quorum"
  | "unconfirmed";

/** Null while it accepts orders. Both servers report it. */
export function notReadyBecause(
  life: { readonly stopping: boolean },
  journal: { readonly nearlyFull: boolean },
): NotReady | null {
  if (life.stopping) return "stopping";
  return journal.nearlyFull ? "disk-nearly-full" : null;
}

const TEXTS: Readonly<Record<NotReady, string>> = {
  stopping: "the exchange is stopping",
  behind: "this node is more than a second behind the log in PostgreSQL, or cannot reach it",
  "taking-over": "this node takes over the lead",
  "no-quorum": "this node leads, but no quorum of PostgreSQL has confirmed that lately",
  unconfirmed: "this node leads, but no standby has what it acknowledged a second ago",
  "disk-nearly-full": "the disk is nearly full: orders are refused, cancels still work; free space",
};

export function notReadyText(reason: NotReady | null): string | null {
  return reason === null ? null : TEXTS[reason];
}
