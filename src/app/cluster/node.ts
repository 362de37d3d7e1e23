/**
 * A node of a cluster. Its log is in PostgreSQL; it follows that log into its data folder and its
 * copy of the state, and with the lease it takes the lead and is the exchange. It never steps back:
 * a node that does not lead any more ends, and follows when it is started again.
 */
import { join } from "node:path";
import type { OperatorAnswer } from "../../api/operator/routes.ts";
import { HeldLease, HOLD_MS, type LeaseOptions, WatchedLease } from "../../cluster/index.ts";
import { InvariantViolation } from "../../domain/index.ts";
import { RULES_VERSION } from "../../engine/index.ts";
import { openRateLimits } from "../../gateway/http/rate-limit.ts";
import {
  type DataFolderLock,
  LeaseRow,
  MemberRows,
  type Membership,
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
import { listenOn } from "../listen.ts";
import type { Log } from "../log.ts";
import type { NodeStatus, NodeView } from "../node-view.ts";
import { seedProfile } from "../profiles.ts";
import { createSharedCounts, type SharedCounts } from "../public-server.ts";
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
import { NodeLimits } from "./node-limits.ts";
import { NodeLinks } from "./node-links.ts";

const RUN_BYTES = 8;
/** How long what has begun may take before a leader that stops hands over. */
const FINISH_MS = 300;
const SIGN_IN_LOOK_MS = 20;

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
  readonly #counts: SharedCounts;
  readonly #limits: NodeLimits;
  readonly #links: NodeLinks;
  readonly #following: Following;
  readonly #run: string;
  readonly #postgres: PostgresWatch;
  readonly #end: (error: Error) => void;
  readonly #cluster: ClusterConfig;
  readonly demo: DemoParent | null = demoParent();
  #url: string;
  /** Where other nodes reach this one. */
  #link = "";
  /** Resolves when this node is near the end of the log again, or not for long. */
  #signingIn: Promise<string | null> | null = null;
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
    cluster: ClusterConfig,
    core: NodeCore,
    log: Log,
    end: (error: Error) => void,
  ) {
    const { clock, randomness, scheduler } = core.platform;
    const { journal } = core;
    const { advertise, node, postgresUrls: urls } = cluster;
    const run = randomness.bytes(RUN_BYTES).toString("hex");
    this.#config = config;
    this.#cluster = cluster;
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
    const self = () => ({
      name: node,
      run,
      url: this.#url,
      link: this.#link,
      version: VERSION,
      rules: RULES_VERSION,
      sequence: core.served.durableSequence,
      lagMs: journal.lagMs,
    });
    const isLooking = () => this.#role === "follower" && this.#links.routed.leader === null;
    const onRead = ({ successor }: Membership) => this.#handOverTo(successor);
    const rows = new MemberRows(session);
    this.#members = new MembershipWatch(rows, { clock, scheduler }, self, isLooking, onRead);
    const onLeaderLost = () => this.#watched?.lookNow();
    this.#counts = createSharedCounts(randomness);
    this.#limits = new NodeLimits(openRateLimits(this.#counts.rates), clock);
    const shared = { members: this.#members, limits: this.#limits };
    this.#links = new NodeLinks({ node, run, core, ...shared, onLeaderLost });
    this.#following = new Following(core, this.#links, end);
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
    await fillKeys(core, log);
    return node;
  }

  /** Serves as a follower, and leads when it is its turn. */
  async serve(lock: DataFolderLock): Promise<RunningExchange> {
    const { history, journal } = this.#core;
    const config = this.#config;
    history.startCatchUp();
    const serving: Serving = {
      config,
      log: this.#log,
      core: this.#core,
      counts: this.#counts,
      limits: this.#limits,
      demoAccounts: [],
      notReadyBecause: () => this.#notReadyBecause(),
      node: this,
      signed: this.#links.routed,
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
    this.#link = await this.#listenForNodes();
    journal.follow(this.#end);
    this.#members.start();
    this.#links.start();
    const lease = this.#leaseOptions();
    this.#watched = new WatchedLease(lease, (claimStartedMs) => {
      this.#takeOver(lease, claimStartedMs).catch((error: Error) => this.#end(takeOverEnd(error)));
    });
    const stop = async (): Promise<void> => {
      if (this.#isStopping) return;
      this.#isStopping = true;
      this.#watched?.stop();
      const closed = servers.close();
      if (this.#role === "leader") await this.#handOver(closed);
      await closed;
      await this.#close();
      lock.release();
    };
    return { port, gateways: 0, operatorPort, operatorToken, demoAccounts: [], stop };
  }

  async #listenForNodes(): Promise<string> {
    const { host, port } = this.#cluster.listen;
    const bound = await listenOn({ host, port }, "cluster-", (address) =>
      this.#links.listen(address.host, address.port),
    );
    return `${host.includes(":") ? `[${host}]` : host}:${bound}`;
  }

  /** Another node leads as soon as this one has given its last answer. */
  async #handOver(closed: Promise<void>): Promise<void> {
    const { platform, served } = this.#core;
    const finished = new Promise<void>((resolve) => {
      platform.scheduler.after(FINISH_MS, resolve);
    });
    await Promise.race([closed, finished]);
    await this.#sequencer?.stop();
    served.release();
    // Unknown: the others wait until the lease is over.
    await this.#held?.release().catch(() => undefined);
    this.#links.closeLinks();
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
    keys.confirmWith(() => this.#links.everywhere(served.durableSequence));
    await this.#startTraders(sequencer);
    this.#role = "leader";
    const { epoch, lastSequence } = journal;
    this.#links.lead({
      node: this.#name,
      epoch,
      engine: served,
      durableSequence: () => served.durableSequence,
      whenMayAnswer: (answer) => held.whenMayAnswer(answer),
    });
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

  whenSigningIn(): Promise<string | null> | null {
    if (this.#core.journal.lagMs <= LAG_MAX_MS) return null;
    this.#signingIn ??= this.#untilNear().finally(() => {
      this.#signingIn = null;
    });
    return this.#signingIn;
  }

  async #untilNear(): Promise<string | null> {
    const { journal, platform } = this.#core;
    const { clock, scheduler } = platform;
    const endMs = clock.monotonicMs() + HOLD_MS;
    while (clock.monotonicMs() < endMs && !this.#isStopping) {
      await new Promise<void>((resolve) => {
        scheduler.after(SIGN_IN_LOOK_MS, resolve);
      });
      if (journal.lagMs <= LAG_MAX_MS) return null;
    }
    return `${this.#name} does not reach PostgreSQL, try again`;
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
    await this.#links.close();
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
