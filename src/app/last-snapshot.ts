/** The snapshot of an orderly shutdown. */
import type { Journal, SnapshotStore } from "../protocol/index.ts";
import type { Log } from "./log.ts";
import { makeSnapshot, type Replay } from "./replay.ts";
import type { Sequencer } from "./sequencer.ts";

/** With more orders than this, the snapshot is left to the follower, so that shutdown is quick. */
const SMALL_STATE_ORDERS = 200_000;

interface EndedCore {
  readonly journal: Pick<Journal, "lastSequence" | "read">;
  readonly snapshots: SnapshotStore;
  readonly replay: Replay;
  /** As of the journal's last sequence. */
  readonly sequencer: Pick<Sequencer, "eventDigest">;
}

/**
 * Writes a small state at shutdown, so that the next start replays nothing. Failing to write it
 * does no harm: a snapshot is only a shortcut.
 */
export async function writeLastSnapshot(core: EndedCore, log: Log): Promise<void> {
  try {
    await snapshotSmallState(core, log);
  } catch (error) {
    const isOfSystem = error instanceof Error && "syscall" in error;
    if (!isOfSystem) throw error;
    log.error({ error }, "no final snapshot was written; the next start takes longer");
  }
}

async function snapshotSmallState(core: EndedCore, log: Log): Promise<void> {
  const { journal, replay, sequencer, snapshots } = core;
  const sequence = journal.lastSequence;
  const status = replay.engine.query({ type: "status" }, replay.engine.timestampMs);
  const orders =
    status.ok && "openOrders" in status.value
      ? status.value.openOrders +
        status.value.rememberedClientOrderIds +
        status.value.contractOpenOrders +
        status.value.algoOrders +
        status.value.positions
      : Number.POSITIVE_INFINITY;
  const [newest] = await snapshots.list();
  if (sequence === 0 || newest?.sequence === sequence || orders > SMALL_STATE_ORDERS) return;
  for await (const batch of journal.read(sequence)) {
    const { engine } = replay;
    await snapshots.save(makeSnapshot(engine, sequence, sequencer.eventDigest, batch.chainHash));
    log.info({ sequence }, "snapshot written");
    return;
  }
}
