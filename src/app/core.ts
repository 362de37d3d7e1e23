/**
 * What is below the network, of an exchange on one machine as of a node in a cluster: the data
 * folder's journal, snapshots, history and keys, and the state that they lead to.
 */
import { join } from "node:path";
import { type DurableJournal, openSnapshotFiles, type SnapshotFiles } from "../journal/index.ts";
import { KeyVault } from "../keys/index.ts";
import type { Platform } from "../platform/index.ts";
import type { Command, EngineClient, EnginePort } from "../protocol/index.ts";
import { CLOCK_REGRESSION_MAX_MS, type Config, StartRefused } from "./config.ts";
import { openClock, type SimulatedClock } from "./demo-history.ts";
import { EventTap } from "./event-tap.ts";
import type { ClockReading } from "./exchange-clock.ts";
import { History } from "./history.ts";
import type { Log } from "./log.ts";
import { Metrics } from "./metrics.ts";
import { recover } from "./recovery.ts";
import type { Replay } from "./replay.ts";
import { type EventChunk, Sequencer } from "./sequencer.ts";
import { SnapshotFollower } from "./snapshot-follower.ts";
import { type Branch, branchFolder } from "./states/branch-file.ts";
import { VERSION } from "./version.ts";

/** A recovered exchange, of which nothing runs yet. */
export interface State<Journal extends DurableJournal = DurableJournal> {
  readonly platform: Platform;
  readonly journal: Journal;
  readonly snapshots: SnapshotFiles;
  /** Of the journal, as of the start. */
  readonly branch: Branch;
  readonly history: History;
  readonly replay: Replay;
  readonly clock: SimulatedClock;
  readonly keys: KeyVault;
  readonly metrics: Metrics;
  readonly tap: EventTap;
}

/** What answers requests: the sequencer, or what stands before it. */
export interface ServedEngine extends EnginePort {
  readonly durableSequence: number;
  readonly queueDepth: number;
  readonly clockReading: ClockReading;
  exchangeMs(): number;
}

/** A state with what answers from it. */
export interface Core extends State {
  readonly served: ServedEngine;
  readonly engine: EngineClient;
  readonly follower: SnapshotFollower;
}

/** Of events that the history has not taken yet: half of where commands are refused. */
const BEHIND_BYTES = 32 * 1024 * 1024;

/** Recovers from the journal in the branch's folder. */
export async function openState<Journal extends DurableJournal>(
  config: Config,
  branch: Branch,
  journal: Journal,
  log: Log,
  platform: Platform,
  onFatal: (error: Error) => void,
): Promise<State<Journal>> {
  const dataFolder = branchFolder(config.dataFolder, branch.number);
  const snapshots = openSnapshotFiles({
    folder: join(dataFolder, "snapshots"),
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
  const { masterKeyFile } = config;
  const keys = KeyVault.open(config.dataFolder, masterKeyFile, platform.randomness, dataFolder);
  const metrics = new Metrics(platform.clock);
  const tap = new EventTap(() => history.writer.backlogBytes > BEHIND_BYTES);
  const clock = openClock(config, replay.engine, platform.clock, branch.clockBehindMs);
  return { platform, journal, snapshots, branch, history, replay, clock, keys, metrics, tap };
}

/** Gives durable events to all who need them. */
export function publishTo({ history, tap }: Pick<State, "history" | "tap">) {
  return ({ chunk, lastSequence }: EventChunk): void => {
    // The history takes ownership of the bytes, so it comes last.
    tap.publish(chunk);
    history.writer.offer(chunk, lastSequence);
  };
}

/** Goes on where the state's journal ends. */
export function openSequencer(
  state: State,
  onFatal: (error: Error) => void,
  onApplied?: (command: Command) => void,
): Sequencer {
  const { clock, history, journal, metrics, platform, replay } = state;
  return new Sequencer({
    platform,
    engine: replay.engine,
    journal,
    eventDigest: replay.eventDigest,
    wall: clock,
    publish: publishTo(state),
    isPublishFull: () => history.writer.isFull,
    onFatal,
    metrics,
    ...(onApplied === undefined ? {} : { onApplied }),
  });
}

/** Makes snapshots of the journal in the branch's folder. */
export async function openFollower(
  { dataFolder, sizes }: Config,
  { branch, platform, snapshots }: State,
  durableSequence: () => number,
  log: Log,
  onFailure: (error: Error) => void,
): Promise<SnapshotFollower> {
  const folder = branchFolder(dataFolder, branch.number);
  const folders = {
    journalFolder: join(folder, "journal"),
    snapshotFolder: join(folder, "snapshots"),
  };
  const [newest] = await snapshots.list();
  const due = sizes && { commands: sizes.snapshotCommands, ms: sizes.snapshotMs };
  const options = { ...folders, platform, snapshots, durableSequence, log, onFailure, due };
  return new SnapshotFollower(options, newest?.sequence ?? 0);
}

export function watch({ engine, history, journal, metrics, served }: Core): void {
  metrics.watch({
    durableSequence: () => served.durableSequence,
    queueDepth: () => served.queueDepth,
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

/** Combines the stored secrets with the key settings in the engine. */
export async function fillKeys(
  { engine, keys }: Pick<Core, "engine" | "keys">,
  log: Log,
): Promise<void> {
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

export function processStatus(
  core: Core,
  venue: Config["venue"],
): Readonly<Record<string, unknown>> {
  const { history, journal, served } = core;
  return {
    version: VERSION,
    venue,
    durableSequence: served.durableSequence,
    queueDepth: served.queueDepth,
    journal: { epoch: journal.epoch, nearlyFull: journal.nearlyFull },
    history: {
      appliedSequence: history.writer.appliedSequence,
      lag: history.lag,
      backlogBytes: history.writer.backlogBytes,
    },
    uptimeSeconds: Math.floor(process.uptime()),
  };
}
