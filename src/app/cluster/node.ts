/**
 * A node of a cluster. Its log is in PostgreSQL; it follows that log into its data folder and its
 * copy of the state, and with the lease it takes the lead and is the exchange. It never steps back:
 * a node that does not lead any more ends, and follows when it is started again.
 */
import { join } from "node:path";
import type { OperatorAnswer } from "../../api/operator/routes.ts";
import { HeldLease, type LeaseOptions, WatchedLease } from "../../cluster/index.ts";
import { InvariantViolation } from "../../domain/index.ts";
import { RULES_VERSION } from "../../engine/index.ts";
import {
  type DataFolderLock,
  LeaseRow,
  MemberRows,
  PostgresWatch,
  QuorumLog,
} from "../../journal/index.ts";
import { UnusableSecrets } from "../../keys/index.ts";
import type { Platform } from "../../platform/index.ts";
import { EngineClient } from "../../protocol/index.ts";
import type { ClusterReading } from "../cluster-metrics.ts";
import { type ClusterConfig, type Config, StartRefused } from "../config.ts";
import {
  type Core,
  fillKeys,
  openFollower,
  openSequencer,
  openState,
  type State,
  watch,
} from "../core.ts";
import { openNodeManifest, venueIdOf } from "../data-folder-manifest.ts";
import { DemoTraders } from "../demo-traders.ts";
import { ExchangeTime } from "../exchange-time.ts";
import type { Gateways } from "../gateways/gateways.ts";
import { writeLastSnapshot } from "../last-snapshot.ts";
import type { Log } from "../log.ts";
import type { NodeStatus, NodeView } from "../node-view.ts";
import { seedProfile } from "../profiles.ts";
import { createSharedCounts } from "../public-server.ts";
import type { NotReady } from "../readiness.ts";
import type { RunningExchange } from "../running-exchange.ts";
import type { Sequencer } from "../sequencer.ts";
import { listen, openGateways, type Serving } from "../servers.ts";
import { readBranch } from "../states/branch-file.ts";
import { VERSION } from "../version.ts";
import { watchOperation } from "../watch-operation.ts";
import { LAG_MAX_MS, viewCluster } from "./cluster-view.ts";
import { type DemoParent, demoParent } from "./demo-parent.ts";
import { Following } from "./following.ts";
import { handOver, type Promotion, promote, promotionRefusal } from "./hand-over.ts";
import { LIVE_MS, MembershipWatch } from "./membership-watch.ts";
import { asNodeEnded, NodeEnded } from "./node-ended.ts";
import { NodeEngine } from "./node-engine.ts";

const RUN_BYTES = 8;

/** Throws `StartRefused`. Calls `onFatal` with `NodeEnded` where that is how a node should end. */
export async function startNode(
  config: Config,
  cluster: ClusterConfig,
  log: Log,
  lock: DataFolderLock,
  platform: Platform,
  onFatal: (error: Error) => void,
): Promise<RunningExchange> {
  const end = (error: Error): void => onFatal(asNodeEnded(error));
  const journal = await openLog(config, cluster, log, platform);
  checkSandbox(config, journal);
  const { id, origin } = openNodeManifest(config.dataFolder, journal.venueId, journal.sandbox);
  const venue = { id, restoredSequence: origin?.sequence ?? null };
  const branch = await readBranch(config.dataFolder, platform.files);
  const state = await openState(config, branch, journal, log, platform, end);
  if (config.profile === "demo" && state.clock.isBehind) throw new StartRefused(NO_DEMO);
  const node = await Node.open({ ...config, venue }, cluster, state, log, end);
  return await node.serve(lock);
}

const NO_DEMO =
  "The log has no demo: make one with `rialto cluster demo`, or begin with the folder of another " +
  "(`rialto cluster init --from`), or use --profile empty.";

/** A clock that may be moved is a property of the venue, and all of its nodes say so. */
function checkSandbox({ sandbox }: Config, journal: QuorumLog): void {
  if (sandbox === journal.sandbox) return;
  throw new StartRefused(
    journal.sandbox
      ? "This cluster is a sandbox: its clock may be ahead of the wall clock. Start all of its " +
          "nodes with --sandbox."
      : "This cluster is no sandbox, so its clock must stay the wall clock: leave out --sandbox.",
  );
}

async function openLog(
  { dataFolder }: Config,
  { postgresUrls }: ClusterConfig,
  log: Log,
  { clock, files, scheduler }: Platform,
): Promise<QuorumLog> {
  const opening = await QuorumLog.open({
    urls: postgresUrls,
    venueId: venueIdOf(dataFolder),
    folder: join(dataFolder, "journal"),
    fileSystem: files,
    scheduler,
    clock,
    log: (level, message) => log[level](message),
  });
  if (opening.ok) return opening.journal;
  throw new StartRefused(opening.refusal.message, 78);
}

/** What is of PostgreSQL passes: started again, the node follows, and may try once more. */
function takeOverEnd(error: Error): Error {
  const known = asNodeEnded(error);
  if (known instanceof NodeEnded || known instanceof InvariantViolation) return known;
  return new NodeEnded(`this node could not take over the lead: ${error.message}.`);
}

/** Rejects with `StartRefused` when PostgreSQL does not answer. */
async function shareKeys({ keys }: Core, rows: MemberRows): Promise<void> {
  try {
    await keys.share(rows);
  } catch (error) {
    if (error instanceof UnusableSecrets) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartRefused(`PostgreSQL does not give the secrets of API keys: ${reason}.`);
  }
}

type NodeCore = Core & State<QuorumLog> & { readonly served: NodeEngine };

class Node implements NodeView {
  readonly #config: Config;
  readonly #name: string;
  readonly #log: Log;
  readonly #core: NodeCore;
  /** Of the secrets that all nodes share. */
  readonly #keyRows: MemberRows;
  readonly #leaseRow: LeaseRow;
  readonly #members: MembershipWatch;
  readonly #following: Following;
  readonly #run: string;
  readonly #postgres: PostgresWatch;
  readonly #end: (error: Error) => void;
  readonly demo: DemoParent | null = demoParent();
  #url: string;
  #role: "follower" | "taking-over" | "leader" | "handing-over" = "follower";
  #gateways: Gateways | null = null;
  #traders: DemoTraders | null = null;
  #watched: WatchedLease | null = null;
  #held: HeldLease | null = null;
  #sequencer: Sequencer | null = null;
  #time: ExchangeTime | null = null;
  #isStopping = false;

  private constructor(
    config: Config,
    { advertise, node, postgresUrls: urls }: ClusterConfig,
    core: NodeCore,
    log: Log,
    end: (error: Error) => void,
  ) {
    const { clock, randomness, scheduler } = core.platform;
    const { journal } = core;
    const run = randomness.bytes(RUN_BYTES).toString("hex");
    this.#config = config;
    this.#name = node;
    this.#url = advertise ?? "";
    this.#log = log;
    this.#core = core;
    this.#end = end;
    this.#run = run;
    this.#postgres = new PostgresWatch(urls, scheduler);
    const session = { urls, venueId: journal.venueId, scheduler, log: () => undefined };
    this.#keyRows = new MemberRows(session);
    this.#leaseRow = new LeaseRow(session);
    this.#members = new MembershipWatch(
      new MemberRows(session),
      { clock, scheduler },
      () => ({
        name: node,
        run,
        url: this.#url,
        version: VERSION,
        rules: RULES_VERSION,
        sequence: core.served.durableSequence,
        lagMs: journal.lagMs,
      }),
      (membership) => this.#handOverTo(membership.successor),
    );
    this.#following = new Following(core, end);
    core.metrics.cluster.watch(() => this.#reading());
  }

  static async open(
    config: Config,
    cluster: ClusterConfig,
    state: State<QuorumLog>,
    log: Log,
    end: (error: Error) => void,
  ): Promise<Node> {
    const served = new NodeEngine(state);
    const engine = new EngineClient(served);
    const durableSequence = () => served.durableSequence;
    const follower = await openFollower(config, state, durableSequence, log, end);
    const core = { ...state, served, engine, follower };
    watch(core);
    watchOperation(config.dataFolder, core, null);
    const node = new Node(config, cluster, core, log, end);
    // A wrong master key is refused now, and not when this node has to lead.
    await shareKeys(core, node.#keyRows);
    return node;
  }

  /** Serves as a follower, and leads when it is its turn. */
  async serve(lock: DataFolderLock): Promise<RunningExchange> {
    const { history, journal, platform } = this.#core;
    const config = this.#config;
    history.startCatchUp();
    const serving: Serving = {
      config,
      log: this.#log,
      core: this.#core,
      counts: createSharedCounts(platform.randomness),
      demoAccounts: [],
      notReadyBecause: () => this.#notReadyBecause(),
      node: this,
      onFatal: this.#end,
    };
    const gateways = openGateways(serving);
    this.#gateways = gateways;
    const servers = await listen(serving, gateways, {
      house: null,
      states: null,
      webhooks: null,
    });
    const { operatorPort, operatorToken, port } = servers;
    const host = config.host.includes(":") ? `[${config.host}]` : config.host;
    if (this.#url === "") this.#url = `http://${host}:${port}`;
    journal.follow(this.#end);
    this.#members.start();
    const lease = this.#leaseOptions();
    this.#watched = new WatchedLease(lease, (claimStartedMs) => {
      this.#takeOver(lease, claimStartedMs).catch((error: Error) => this.#end(takeOverEnd(error)));
    });
    const stop = async (): Promise<void> => {
      if (this.#isStopping) return;
      this.#isStopping = true;
      this.#watched?.stop();
      await servers.close();
      await this.#close();
      lock.release();
    };
    return { port, gateways: 0, operatorPort, operatorToken, demoAccounts: [], stop };
  }

  #leaseOptions(): LeaseOptions {
    const { clock, scheduler } = this.#core.platform;
    return { table: this.#leaseRow, owner: `${this.#name}/${this.#run}`, clock, scheduler };
  }

  /** From the claim of the lease to the first command that is taken. */
  async #takeOver(lease: LeaseOptions, claimStartedMs: number): Promise<void> {
    if (this.#isStopping) return;
    this.#role = "taking-over";
    const held = new HeldLease(lease, claimStartedMs, () => {
      this.#end(new NodeEnded("another node has the lease: start this one again, and it follows."));
    });
    this.#held = held;
    const { engine, journal, keys, platform, replay, served } = this.#core;
    await journal.lead();
    await this.#following.finish();
    const sequencer = openSequencer(this.#core, this.#end);
    this.#sequencer = sequencer;
    served.lead({ sequencer, lease: held });
    if (await this.#mayAdoptRules(replay.sequence)) {
      this.#must(await engine.execute({ type: "adopt-rules", version: RULES_VERSION }));
    }
    this.#must(await engine.execute({ type: "resume" }));
    this.#time = new ExchangeTime(platform, () => sequencer.wake());
    sequencer.startTimers(this.#time);
    await keys.share(this.#keyRows);
    await fillKeys(this.#core, this.#log);
    const demoPast = () => Promise.resolve();
    // A demo began with all that it has.
    const seeded = { ...this.#config, profile: "empty" } as const;
    await seedProfile(seeded, engine, keys, demoPast, platform.randomness);
    await this.#startTraders(sequencer);
    this.#role = "leader";
    const { epoch, lastSequence } = journal;
    this.#core.metrics.cluster.tookOver(this.#name);
    this.#log.info({ node: this.#name, epoch, sequence: lastSequence }, "this node leads");
  }

  /** Of the demo: on the leader alone. */
  async #startTraders(sequencer: Sequencer): Promise<void> {
    if (this.#gateways === null || this.#isStopping) return;
    const { engine, platform } = this.#core;
    const gateways = this.#gateways;
    this.#traders = new DemoTraders({
      config: this.#config,
      engine,
      platform,
      sequencer,
      gateways,
    });
    await this.#traders.start();
  }

  /** Resolves when the node of this name leads, or does not. */
  promote(node: string): Promise<Promotion> {
    const { scheduler } = this.#core.platform;
    return promote({ members: this.#members, row: this.#leaseRow, scheduler }, node);
  }

  /** A leader learns it like everyone else, from the row. */
  #handOverTo(node: string): void {
    const [held, sequencer] = [this.#held, this.#sequencer];
    if (node === "" || this.#role !== "leader" || held === null || sequencer === null) return;
    if (this.#isStopping) return;
    if (node === this.#name || promotionRefusal(this.#members, node) !== null) {
      this.#leaseRow.nameSuccessor("").catch(() => undefined);
      return;
    }
    this.#log.info({ node: this.#name, successor: node }, "this node hands the lead over");
    this.#role = "handing-over";
    const stopOwn = async (): Promise<void> => {
      await this.#traders?.stop();
      this.#time?.stop();
    };
    const { scheduler } = this.#core.platform;
    const { owner } = this.#leaseOptions();
    const own = { name: this.#name, owner, row: this.#leaseRow, members: this.#members };
    void handOver({ ...own, held, sequencer, scheduler, stopOwn, end: this.#end }, node);
  }

  #must({ ok }: { readonly ok: boolean }): void {
    if (!ok) throw new NodeEnded("the disk of this node is nearly full: free space on it.");
  }

  /** Whoever does not know the rules could not follow. A log without commands has none yet. */
  async #mayAdoptRules(sequence: number): Promise<boolean> {
    if (sequence === 0) return true;
    const { members } = await this.#keyRows.read();
    return members.every(({ rules, silentMs }) => rules >= RULES_VERSION || silentMs > LIVE_MS);
  }

  #notReadyBecause(): NotReady | null {
    const { journal } = this.#core;
    if (this.#isStopping) return "stopping";
    if (this.#role === "taking-over" || this.#role === "handing-over") return "taking-over";
    if (this.#role === "follower") return journal.lagMs > LAG_MAX_MS ? "behind" : null;
    if (this.#held?.mayAnswer !== true) return "no-quorum";
    return journal.nearlyFull ? "disk-nearly-full" : null;
  }

  status(): NodeStatus {
    const isLeader = this.#role === "leader";
    const leader = isLeader ? this.#name : (this.#members.leader?.name ?? null);
    const lagMs = Math.round(this.#core.journal.lagMs);
    return { node: this.#name, role: isLeader ? "leader" : "follower", leader, lagMs };
  }

  #reading(): ClusterReading {
    const { lagMs, node, role } = this.status();
    const { present } = this.#members;
    const { epoch = 0, generation = 0 } = this.#members.last ?? {};
    const quorumMembers = present === null ? 0 : present.counted + 1;
    return { node, leads: role === "leader", epoch, generation, lagMs, quorumMembers };
  }

  async cluster(): Promise<OperatorAnswer<"getCluster">> {
    const { journal, served } = this.#core;
    const { lagMs, role } = this.status();
    return viewCluster(this.#members, await this.#postgres.view(), {
      node: this.#name,
      role,
      url: this.#url,
      version: VERSION,
      rules: RULES_VERSION,
      appliedSequence: served.durableSequence,
      lagMs,
      confirmed: journal.lagMs <= LAG_MAX_MS,
    });
  }

  elsewhere(): string | null {
    if (this.#role === "leader") {
      if (this.#held?.mayAnswer === true) return null;
      return `${this.#name} leads, and waits for a quorum of PostgreSQL`;
    }
    const { leader } = this.#members;
    if (this.#role === "taking-over" || leader?.run === this.#run) {
      return `${this.#name} takes over the lead, try again`;
    }
    if (leader === null) return "no node leads at present, try again";
    return `${leader.name} leads, at ${leader.url}`;
  }

  /** In dependency order: accepted requests were answered. */
  async #close(): Promise<void> {
    const { follower, history, journal, keys, replay } = this.#core;
    await this.#traders?.stop();
    this.#time?.stop();
    await this.#members.stop();
    await this.#sequencer?.stop();
    this.#held?.stop();
    await this.#following.stop();
    await follower.stop();
    const sequencer = this.#sequencer ?? replay;
    await writeLastSnapshot({ ...this.#core, sequencer }, this.#log);
    await history.close();
    await journal.close();
    await Promise.all([this.#keyRows.close(), this.#leaseRow.close()]);
    keys.close();
  }
}
