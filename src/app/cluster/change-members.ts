/** Changes of the quorum as the command line makes them, with this machine's clock and files. */
import { join } from "node:path";
import { type Failover, failOver, verifyJournalEnd } from "../../journal/index.ts";
import { NODE_PLATFORM } from "../../platform/index.ts";

interface FailoverRequest {
  readonly urls: readonly string[];
  readonly loseAcknowledged: boolean;
  readonly copySequence: number | null;
}

export function failOverNow(request: FailoverRequest): Promise<Failover> {
  return failOver({ ...NODE_PLATFORM, ...request });
}

/** The last command in a node's copy of the log, whether or not the node runs. */
export async function endOfCopy(dataFolder: string): Promise<number> {
  const { lastSequence } = await verifyJournalEnd({ folder: join(dataFolder, "journal") });
  return lastSequence;
}
