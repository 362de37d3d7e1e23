/**
 * The composition root: opens the data folder, recovers, and wires up engine, journal, history,
 * gateway and operator API. No other file knows all of them.
 */
import type { IncomingMessage } from "node:http";
import { join } from "node:path";
import { RULES_VERSION } from "../engine/index.ts";
import { AddressRanges, clientAddress } from "../gateway/http/address.ts";
import { endUnwantedUploads } from "../gateway/http/unwanted-uploads.ts";
import {
  DamagedJournal,
  type DataFolderLock,
  type FolderJournal,
  lockDataFolder,
  openSnapshotFiles,
  type SnapshotFiles,
} from "../journal/index.ts";
import { KeyVault, openOperatorToken, UnusableSecrets } from "../keys/index.ts";
import { createOperatorServer } from "../operator/index.ts";
import { type ListenAddress, NODE_PLATFORM, type Platform } from "../platform/index.ts";
import { EngineClient } from "../protocol/index.ts";
import type { DemoAccount } from "../sandbox/index.ts";
import { refuseUnfinishedRestore } from "./backup/unfinished-restore.ts";
import {
  CLOCK_REGRESSION_MAX_MS,
  type Config,
  checkConfig,
  isLoopback,
  StartRefused,
} from "./config.ts";
import { serveOperatorConsole } from "./console-pages.ts";
import { makeDemoHistory, openClock, type SimulatedClock } from "./demo-history.ts";
import { checkFirstRoom, noRoomForCommands } from "./disk-room.ts";
import { EventTap } from "./event-tap.ts";
import { ExchangeTime } from "./exchange-time.ts";
import { GatewayThreads } from "./gateways/gateway-threads.ts";
import { type Gateways, gatewayCount, InlineGateway } from "./gateways/gateways.ts";
import { History } from "./history.ts";
import { writeLastSnapshot } from "./last-snapshot.ts";
import { listenOn } from "./listen.ts";
import { createLog, type Log } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { openJournal } from "./open-journal.ts";
import { openVenue } from "./open-venue.ts";
import { openWebhooks } from "./open-webhooks.ts";
import { openTraders } from "./own-traders.ts";
import { closeToOthers } from "./private-folder.ts";
import { seedProfile } from "./profiles.ts";
import { createSharedCounts, type SharedCounts } from "./public-server.ts";
import { notReadyBecause, notReadyText } from "./readiness.ts";
import { MissingCommands, recover } from "./recovery.ts";
import { type Replay, ReplayDivergence } from "./replay.ts";
import { openFaults } from "./sandbox-traffic.ts";
import { Sequencer } from "./sequencer.ts";
import { SnapshotFollower, type SnapshotFollowerOptions } from "./snapshot-follower.ts";
import { type Branch, branchFolder, readBranch } from "./states/branch-file.ts";
import { openFrom } from "./states/open-from.ts";
import { States, type StatesOptions } from "./states/states.ts";
import { renderSum } from "./traffic-metrics.ts";
import { VERSION } from "./version.ts";
import { watchOperation } from "./watch-operation.ts";

export interface RunningExchange {
  readonly port: number;
  /** Threads that serve the API; 0 when the engine's does. */
  readonly gateways: number;
  readonly operatorPort: number;
  readonly operatorToken: string;
  /** Accounts of the demo profile, with their keys; empty in other profiles. */
  readonly demoAccounts: readonly DemoAccount[];
  /**
   * Stops accepting requests, answers those already accepted, writes a snapshot and releases the
   * folder.
   */
  stop(): Promise<void>;
}

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
    await openFrom(config, platform);
    const venue = openVenue(config, platform, log);
    const core = await openCore(config, log, platform, onFatal);
    return await openServers({ ...config, venue }, log, lock, core, onFatal);
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

/** Everything below the network. */
interface Core {
  readonly platform: Platform;
  readonly journal: FolderJournal;
  readonly snapshots: SnapshotFiles;
  /** Of the journal, as of the start. */
  readonly branch: Branch;
  readonly follower: SnapshotFollower;
  readonly history: History;
  readonly replay: Replay;
  readonly clock: SimulatedClock;
  readonly sequencer: Sequencer;
  readonly engine: EngineClient;
  readonly keys: KeyVault;
  readonly metrics: Metrics;
  readonly tap: EventTap;
}

/** Of events that the history has not taken yet: half of where commands are refused. */
const BEHIND_BYTES = 32 * 1024 * 1024;

async function openCore(
  config: Config,
  log: Log,
  platform: Platform,
  onFatal: (error: Error) => void,
): Promise<Core> {
  const branch = await readBranch(config.dataFolder, platform.files);
  const dataFolder = branchFolder(config.dataFolder, branch.number);
  const journalFolder = join(dataFolder, "journal");
  const snapshotFolder = join(dataFolder, "snapshots");
  const journal = await openJournal(journalFolder, platform, log, onFatal);
  const snapshots = openSnapshotFiles({
    folder: snapshotFolder,
    fileSystem: platform.files,
    now: () => platform.clock.wallMs(),
  });
  const sources = { journal, snapshots, log, platform };
  const history = await History.open({ dataFolder, ...sources, onFailure: onFatal });
  const replay = await recover({
    ...sources,
    showProgress: true,
    onEvents: async (events) => {
      if (events.lastSequence < history.writer.nextSequence) return;
      history.writer.offer(events.chunk, events.lastSequence);
      await history.writer.drained();
    },
  });
  checkClock(config, replay, platform.clock.wallMs() - branch.clockBehindMs);
  const keys = KeyVault.open(
    config.dataFolder,
    config.masterKeyFile,
    platform.randomness,
    dataFolder,
  );
  const metrics = new Metrics(platform.clock);
  const tap = new EventTap(() => history.writer.backlogBytes > BEHIND_BYTES);
  const clock = openClock(config, replay.engine, platform.clock, branch.clockBehindMs);
  const sequencer = new Sequencer({
    platform,
    engine: replay.engine,
    journal,
    eventDigest: replay.eventDigest,
    wall: clock,
    publish: ({ chunk, lastSequence }) => {
      // The history takes ownership of the bytes, so it comes last.
      tap.publish(chunk);
      history.writer.offer(chunk, lastSequence);
    },
    isPublishFull: () => history.writer.isFull,
    onFatal,
    metrics,
  });
  const folders = { journalFolder, snapshotFolder };
  const follower = await openFollower(folders, snapshots, sequencer, platform, log, onFatal);
  const engine = new EngineClient(sequencer);
  const parts = {
    platform,
    branch,
    journal,
    snapshots,
    follower,
    history,
    replay,
    clock,
    sequencer,
  };
  const core = { ...parts, engine, keys, metrics, tap };
  watch(core);
  return core;
}

async function openFollower(
  folders: Pick<SnapshotFollowerOptions, "journalFolder" | "snapshotFolder">,
  snapshots: SnapshotFiles,
  sequencer: Sequencer,
  platform: Platform,
  log: Log,
  onFailure: (error: Error) => void,
): Promise<SnapshotFollower> {
  const [newest] = await snapshots.list();
  const durableSequence = () => sequencer.durableSequence;
  const options = { ...folders, platform, snapshots, durableSequence, log, onFailure };
  return new SnapshotFollower(options, newest?.sequence ?? 0);
}

function watch({ engine, history, journal, metrics, sequencer }: Core): void {
  metrics.watch({
    durableSequence: () => sequencer.durableSequence,
    queueDepth: () => sequencer.queueDepth,
    historyBacklogBytes: () => history.writer.backlogBytes,
    historyLag: () => history.lag,
    journalNearlyFull: () => journal.nearlyFull,
    integrity: async () => {
      const reply = await engine.query({ type: "market-integrity" });
      return reply.ok ? reply.value : null;
    },
  });
}

function checkClock(config: Config, { engine }: Replay, wallMs: number): void {
  if (engine.clockSpeedE3 !== null) return;
  const behindMs = engine.timestampMs - (wallMs + engine.clockOffsetMs);
  if (behindMs <= CLOCK_REGRESSION_MAX_MS || config.acceptClockRegression) return;
  throw new StartRefused(
    `The wall clock is ${Math.round(behindMs / 1000)} s behind the last journaled time ` +
      `(${new Date(engine.timestampMs).toISOString()}). Set the clock, or start with ` +
      "--accept-clock-regression: exchange time then stands still until the clock has caught up.",
    78,
  );
}

async function openServers(
  config: Config,
  log: Log,
  lock: DataFolderLock,
  core: Core,
  onFatal: (error: Error) => void,
): Promise<RunningExchange> {
  const { engine, history, keys, metrics } = core;
  const { clock, network, randomness, scheduler } = core.platform;
  const time = await startTime(config, core);
  await fillKeys(core, log);
  history.startCatchUp();
  const demoPast = () => tradeDemoHistory(core);
  const demoAccounts = await seedProfile(config, engine, keys, demoPast, randomness);
  const life: Lifecycle = { stopping: false };
  const counts = createSharedCounts(randomness);
  const gateways = openGateways(config, log, core, life, counts, demoAccounts, onFatal);
  const { house, traders } = openTraders({ ...core, config, gateways });
  const { store, webhooks } = await openWebhooks(config, core, log);
  watchOperation(config.dataFolder, core, webhooks);
  const states = await openStates(config, log, core, { gateways, traders, webhooks, onFatal });
  const operatorToken = openOperatorToken(config.dataFolder, config.operatorToken, randomness);
  const operator = createOperatorServer({
    engine,
    history: history.reader,
    keys,
    randomness,
    token: operatorToken,
    addressOf: addressReader(config.trustedProxies),
    monotonicMs: () => clock.monotonicMs(),
    sandbox: config.sandbox,
    version: VERSION,
    snapshots: core.follower,
    traffic: openFaults(counts.faults, core.platform, (call) => gateways.callTraffic(call)),
    states,
    house,
    events: core.tap,
    webhooks,
    status: () => processStatus(core, config.venue),
    metrics,
    health: { notReadyBecause: () => notReadyText(notReadyBecause(life, core.journal)) },
    log,
    onFatal,
  });
  endUnwantedUploads(operator.server, scheduler);
  serveOperatorConsole(operator);
  const { port, operatorPort } = await listenOnPorts(config, log, gateways, (address) =>
    network.listen(operator, address),
  );
  await states?.markStart();
  await traders.start();
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
      await Promise.all([gateways.close(), operator.close()]);
      store.close();
      time.stop();
      await closeCore(core, log);
      lock.release();
    },
  };
}

async function listenOnPorts(
  config: Config,
  log: Log,
  gateways: Gateways,
  listen: (address: ListenAddress) => Promise<number>,
): Promise<{ readonly port: number; readonly operatorPort: number }> {
  const { host, operatorHost } = config;
  const port = await listenOn({ host, port: config.port }, "", ({ port }) => gateways.listen(port));
  const operatorAddress = { host: operatorHost, port: config.operatorPort };
  const operatorPort = await listenOn(operatorAddress, "operator-", listen);
  gateways.showOperatorPort(operatorPort);
  warnOfExposedOperatorApi(config, operatorPort, log);
  return { port, operatorPort };
}

function addressReader(proxies: readonly string[]): (request: IncomingMessage) => string {
  const trusted = proxies.length === 0 ? null : new AddressRanges(proxies);
  return (request) => clientAddress(request, trusted);
}

/** The token gives full access, and HTTP sends it unencrypted. */
function warnOfExposedOperatorApi({ operatorHost }: Config, port: number, log: Log): void {
  if (isLoopback(operatorHost)) return;
  log.warn(
    { host: operatorHost, port },
    "the operator API is reachable beyond this machine, and its token travels without TLS: put " +
      "a proxy with TLS in front of it (--operator-host 127.0.0.1, --trusted-proxies), or let " +
      "only your own network through a firewall",
  );
}

/** Whether requests are still accepted. */
interface Lifecycle {
  stopping: boolean;
}

/** One gateway beside the engine, or in as many threads as configured. */
function openGateways(
  config: Config,
  log: Log,
  core: Core,
  life: Lifecycle,
  counts: SharedCounts,
  demoAccounts: readonly DemoAccount[],
  onFatal: (error: Error) => void,
): Gateways {
  const { history, journal, keys, metrics, platform, replay, sequencer, tap } = core;
  const count = gatewayCount(config.gateways, platform.network);
  const shared = {
    config,
    platform,
    engine: sequencer,
    keys,
    history,
    notReadyBecause: () => notReadyBecause(life, journal),
    renderMetrics: () => metrics.render(),
    counts,
    demoAccounts,
    log,
    onFatal,
  };
  const gateways =
    count === 0
      ? new InlineGateway({ ...shared, exchangeMs: () => sequencer.exchangeMs() })
      : new GatewayThreads({ ...shared, count, time: replay.engine, clock: sequencer });
  tap.listen((chunk) => gateways.publish(chunk));
  metrics.addTraffic(async () => renderSum(await gateways.count()));
  return gateways;
}

/** What only a sandbox has; null otherwise. */
async function openStates(
  config: Config,
  log: Log,
  core: Core,
  parts: Pick<StatesOptions, "gateways" | "traders" | "webhooks" | "onFatal">,
): Promise<States | null> {
  if (!config.sandbox) return null;
  const { dataFolder, masterKeyFile } = config;
  const { engine } = core.replay;
  return await States.open({ ...core, dataFolder, masterKeyFile, engine, ...parts, log });
}

/** Closes in dependency order: accepted requests are answered first. */
async function closeCore(core: Core, log: Log): Promise<void> {
  await core.sequencer.stop();
  await core.follower.stop();
  await writeLastSnapshot(core, log);
  await core.history.close();
  await core.journal.close();
  core.keys.close();
}

/** The journal records the rules version of every change; a newer program first adopts its own. */
async function adoptRules(config: Config, { engine, platform, replay }: Core): Promise<void> {
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
 * Adopts the rules and resumes exchange time. First makes up for or skips what was due while the
 * process was down, so that no timer from that period fires.
 */
async function startTime(config: Config, core: Core): Promise<ExchangeTime> {
  const { engine, platform, sequencer } = core;
  await adoptRules(config, core);
  const resumed = await engine.execute({ type: "resume" });
  if (!resumed.ok) throw await noRoomForCommands(config, platform.files);
  const time = new ExchangeTime(platform, () => sequencer.wake());
  sequencer.startTimers(time);
  return time;
}

/** Combines the stored secrets with the key settings in the engine. */
async function fillKeys({ engine, keys }: Core, log: Log): Promise<void> {
  const settings = await engine.query({
    type: "api-keys",
    after: "",
    limit: Number.MAX_SAFE_INTEGER,
  });
  if (!settings.ok) throw new StartRefused("The journal does not respond: is the disk full?");
  const filled = keys.fill(settings.value);
  if (filled.withoutSecrets.length > 0) {
    log.warn({ keys: filled.withoutSecrets.length }, "API keys without secrets cannot sign");
  }
}

async function tradeDemoHistory(core: Core): Promise<void> {
  const { clock, engine, history, platform, sequencer } = core;
  await makeDemoHistory({
    engine,
    clock,
    realClock: platform.clock,
    durableSequence: sequencer.durableSequence,
    drained: () => history.writer.drained(),
  });
}

function processStatus(core: Core, venue: Config["venue"]): Readonly<Record<string, unknown>> {
  const { history, journal, sequencer } = core;
  return {
    version: VERSION,
    venue,
    durableSequence: sequencer.durableSequence,
    queueDepth: sequencer.queueDepth,
    journal: { epoch: journal.epoch, nearlyFull: journal.nearlyFull },
    history: {
      appliedSequence: history.writer.appliedSequence,
      lag: history.lag,
      backlogBytes: history.writer.backlogBytes,
    },
    uptimeSeconds: Math.floor(process.uptime()),
  };
}
