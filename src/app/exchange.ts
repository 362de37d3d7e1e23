/**
 * Starts an exchange: opens and checks the data folder, then runs it as an exchange of its own or
 * as a node of a cluster.
 */
import { DamagedJournal, lockDataFolder } from "../journal/index.ts";
import { UnusableSecrets } from "../keys/index.ts";
import { NODE_PLATFORM, type Platform } from "../platform/index.ts";
import { refuseUnfinishedRestore } from "./backup/unfinished-restore.ts";
import { type Config, checkConfig, StartRefused } from "./config.ts";
import { checkFirstRoom } from "./disk-room.ts";
import { createLog, type Log } from "./log.ts";
import { openVenue } from "./open-venue.ts";
import { closeToOthers } from "./private-folder.ts";
import { MissingCommands } from "./recovery.ts";
import { ReplayDivergence } from "./replay.ts";
import type { RunningExchange } from "./running-exchange.ts";
import { openStandalone, serveStandalone } from "./standalone.ts";
import { openFrom } from "./states/open-from.ts";

/**
 * Starts an exchange. Throws `StartRefused`, with what to do next, when it cannot start as
 * configured. Calls `onFatal` when a running exchange must exit at once because its state may be
 * ahead of its journal. `platform` is the machine it runs on; the free space of its disk is
 * checked.
 */
export async function startExchange(
  config: Config,
  onFatal: (error: Error) => void,
  platform: Platform = NODE_PLATFORM,
): Promise<RunningExchange> {
  checkConfig(config);
  const log = createLog(config.logLevel);
  const lock = lockDataFolder(config.dataFolder);
  if (!lock.ok) throw new StartRefused(lock.message);
  try {
    keepPrivate(config.dataFolder, log);
    await checkFirstRoom(config, platform.files);
    refuseUnfinishedRestore(config.dataFolder);
    if (config.cluster !== null) {
      // A single exchange does not load what only nodes need, such as the driver of PostgreSQL.
      const { startNode } = await import("./cluster/node.ts");
      return await startNode(config, config.cluster, log, lock, platform, onFatal);
    }
    await openFrom(config, platform);
    const venue = openVenue(config, platform, log);
    const core = await openStandalone(config, log, platform, onFatal);
    return await serveStandalone({ ...config, venue }, log, lock, core, onFatal);
  } catch (error) {
    lock.release();
    throw asRefusal(error);
  }
}

function keepPrivate(dataFolder: string, log: Log): void {
  const { closed, failed } = closeToOthers(dataFolder);
  if (closed.length > 0) {
    log.warn({ paths: closed }, "other users could read parts of the data folder; fixed");
  }
  if (failed.length > 0) {
    log.warn(
      { paths: failed },
      "other users can read parts of the data folder: run chmod go= on them",
    );
  }
}

/** Turns errors that only a person can fix into a refusal to start; returns any other unchanged. */
function asRefusal(error: unknown): unknown {
  const needsPerson =
    error instanceof UnusableSecrets ||
    error instanceof DamagedJournal ||
    error instanceof MissingCommands ||
    error instanceof ReplayDivergence;
  if (needsPerson) return new StartRefused(error.message, 78);
  // The gateway names the --trusted-proxies entry that is neither an address nor a range.
  return error instanceof RangeError
    ? new StartRefused(`--trusted-proxies: ${error.message}`)
    : error;
}
