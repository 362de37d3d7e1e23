/** What all journals that outlive the process have, and how their opening ends. */
import type { Journal } from "../protocol/index.ts";
import type { JournalRefusal } from "./damage.ts";
import type { RecoveryFinding } from "./recovery/recovery.ts";

export type JournalLog = (level: "info" | "warn" | "error", message: string) => void;

export type JournalOpening<Opened> =
  | {
      readonly ok: true;
      readonly journal: Opened;
      /** What recovery repaired; empty after an orderly stop. */
      readonly findings: readonly RecoveryFinding[];
    }
  | { readonly ok: false; readonly refusal: JournalRefusal };

/** What the port leaves to the adapter, but all adapters have. */
export interface DurableJournal extends Journal {
  /** Closes the current segment, unless it is empty: a follower can then read and compress it. */
  roll(): Promise<void>;
  /** The chain hash after `sequence`, to check a snapshot; null when no batch ends there. */
  chainHashAt(sequence: number): Promise<Uint8Array | null>;
}
