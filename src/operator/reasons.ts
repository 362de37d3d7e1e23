/** Actions that are journaled with the reason that the operator gave. */
import type { Command, GraveCommand } from "../protocol/index.ts";

export function forReason(command: GraveCommand, reason: string | undefined): Command {
  return reason === undefined ? command : { type: "do-for-reason", reason, command };
}
