/** An exchange on one machine: its journal in files, all of its parts in this process. */
import { join } from "node:path";
import { RULES_VERSION } from "../engine/index.ts";
import type { DataFolderLock, FolderJournal } from "../journal/index.ts";
import { Mutex } from "../operator/index.ts";
import type { Platform } from "../platform/index.ts";
import { EngineClient } from "../protocol/index.ts";
import { type Config, StartRefused } from "./config.ts";
import { type Core, fillKeys, openFollower, openSequencer, openState, watch } from "./core.ts";
import { makeDemoHistory } from "./demo-history.ts";
import { noRoomForCommands } from "./disk-room.ts";
import { ExchangeTime } from "./exchange-time.ts";
import { writeLastSnapshot } from "./last-snapshot.ts";
import type { Log } from "./log.ts";
import { openJournal } from "./open-journal.ts";
import { openWebhooks } from "./open-webhooks.ts";
import { openTraders } from "./own-traders.ts";
import { seedProfile } from "./profiles.ts";
import { createSharedCounts } from "./public-server.ts";
import { notReadyBecause } from "./readiness.ts";
import type { RunningExchange } from "./running-exchange.ts";
import type { Sequencer } from "./sequencer.ts";
import { listen, openGateways } from "./servers.ts";
import { branchFolder, latestBranch } from "./states/branch-file.ts";
import { States, type StatesOptions } from "./states/states.ts";
import { watchOperation } from "./watch-operation.ts";

/** Of one machine. */
interface Standalone extends Core {
  readonly journal: FolderJournal;
  readonly sequencer: Sequencer;
}

/** Recovers the data folder. */
export async function openStandalone(
  config: Config,
  log: Log,
  platform: Platform,
  onFatal: (error: Error) => void,
): Promise<Standalone> {
  const branch = await latestBranch(config.dataFolder, platform.files);
  const folder = join(branchFolder(config.dataFolder, branch.number), "journal");
  const journal = await openJournal(folder, platform, log, onFatal, config.sizes);
  const state = await openState(config, branch, journal, log, platform, onFatal);
  const sequencer = openSequencer(state, onFatal);
  const durableSequence = () => sequencer.durableSequence;
  const follower = await openFollower(config, state, durableSequence, log, onFatal);
  const engine = new EngineClient(sequencer);
  const core = { ...state, sequencer, served: sequencer, engine, follower };
  watch(core);
  return core;
}

/** Adopts the program's rules, resumes exchange time, and serves. */
export async function serveStandalone(
  config: Config,
  log: Log,
  lock: DataFolderLock,
  core: Standalone,
  onFatal: (error: Error) => void,
): Promise<RunningExchange> {
  const { engine, history, journal, keys } = core;
  const { randomness } = core.platform;
  await adoptRules(config, core);
  const time = await startTime(config, core);
  await fillKeys(core, log);
  history.startCatchUp();
  const demoPast = () => tradeDemoHistory(core);
  const demoAccounts = await seedProfile(config, engine, keys, demoPast, randomness);
  const life: Lifecycle = { stopping: false };
  const counts = createSharedCounts(randomness);
  const mutex = new Mutex();
  const parts = { config, log, core, counts, demoAccounts, mutex, onFatal };
  const serving = { ...parts, notReadyBecause: () => notReadyBecause(life, journal), node: null };
  const gateways = openGateways(serving);
  const { house, traders } = openTraders({ ...core, config, gateways });
  const { store, webhooks } = await openWebhooks(config, core, log);
  watchOperation(config.dataFolder, core, () => webhooks.figures());
  const states = await openStates(config, log, core, { gateways, traders, webhooks, onFatal });
  const servers = await listen(serving, gateways, { house, states, webhooks });
  await states?.markStart();
  await traders.start();
  const { operatorPort, operatorToken, port } = servers;
  return {
    port,
    gateways: gateways.threads,
    operatorPort,
    operatorToken,
    demoAccounts,
    async stop() {
      if (life.stopping) return;
      life.stopping = true;
      await traders.stop();
      webhooks.stop();
      await servers.close();
      store.close();
      time.stop();
      await closeCore(core, log);
      lock.release();
    },
  };
}

/** Whether requests are still accepted. */
interface Lifecycle {
  stopping: boolean;
}

/** What only a sandbox has; null otherwise. */
async function openStates(
  config: Config,
  log: Log,
  core: Standalone,
  parts: Pick<StatesOptions, "gateways" | "traders" | "webhooks" | "onFatal">,
): Promise<States | null> {
  if (!config.sandbox) return null;
  const { dataFolder, masterKeyFile } = config;
  const { engine } = core.replay;
  return await States.open({ ...core, dataFolder, masterKeyFile, engine, ...parts, log });
}

/** Closes in dependency order: accepted requests are answered first. */
async function closeCore(core: Standalone, log: Log): Promise<void> {
  await core.sequencer.stop();
  await core.follower.stop();
  await writeLastSnapshot(core, log);
  await core.history.close();
  await core.journal.close();
  core.keys.close();
}

/** The journal records the rules version of every change; a newer program first adopts its own. */
async function adoptRules(config: Config, { engine, platform, replay }: Standalone): Promise<void> {
  if (replay.engine.rulesVersion > RULES_VERSION) {
    throw new StartRefused(
      `The data follows rules version ${replay.engine.rulesVersion}, this program knows ` +
        `${RULES_VERSION}. Start it with the version of Rialto that wrote it.`,
      78,
    );
  }
  // Nothing to write: a start with a nearly full disk must succeed, so that users can cancel.
  if (replay.engine.rulesVersion === RULES_VERSION) return;
  const adopted = await engine.execute({ type: "adopt-rules", version: RULES_VERSION });
  if (!adopted.ok) throw await noRoomForCommands(config, platform.files);
}

/**
 * Resumes exchange time. First makes up for or skips what was due while the process was down, so
 * that no timer from that period fires.
 */
async function startTime(
  config: Config,
  { engine, platform, sequencer }: Standalone,
): Promise<ExchangeTime> {
  const resumed = await engine.execute({ type: "resume" });
  if (!resumed.ok) throw await noRoomForCommands(config, platform.files);
  const time = new ExchangeTime(platform, () => sequencer.wake());
  sequencer.startTimers(time);
  return time;
}

async function tradeDemoHistory(core: Standalone): Promise<void> {
  const { clock, engine, history, platform, sequencer } = core;
  await makeDemoHistory({
    engine,
    clock,
    realClock: platform.clock,
    durableSequence: sequencer.durableSequence,
    drained: () => history.writer.drained(),
  });
}
