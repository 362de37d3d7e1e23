/** Whether the exchange takes orders, for what asks before sending people to it. */

/** What an exchange that is up may be waiting for. */
export type NotReady = "stopping" | "disk-nearly-full";

/** Null while it takes orders; told by both servers. */
export function notReadyBecause(
  life: { readonly stopping: boolean },
  journal: { readonly nearlyFull: boolean },
): NotReady | null {
  if (life.stopping) return "stopping";
  return journal.nearlyFull ? "disk-nearly-full" : null;
}

const TEXTS: Readonly<Record<NotReady, string>> = {
  stopping: "the exchange is stopping",
  "disk-nearly-full": "the disk is nearly full: orders are refused, cancels still work; make room",
};

export function notReadyText(reason: NotReady | null): string | null {
  return reason === null ? null : TEXTS[reason];
}
