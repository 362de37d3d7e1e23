/**
 * A node of a cluster. Its log is in PostgreSQL; it follows that log into its data folder and its
 * copy of the state, and with the lease it takes the lead and is the exchange. It never steps back:
 * a node that does not lead any more ends, and follows when it is started again.
 */
import { type LeaseOptions, WatchedLease } from "../../cluster/index.ts";
import { RULES_VERSION } from "../../engine/index.ts";
import { openRateLimits } from "../../gateway/http/rate-limit.ts";
import {
  ChangeLock,
  type DataFolderLock,
  LeaseRow,
  MemberRows,
  PostgresWatch,
  type QuorumLog,
  WebhookRows,
} from "../../journal/index.ts";
import { Mutex } from "../../operator/index.ts";
import type { Platform } from "../../platform/index.ts";
import { EngineClient } from "../../protocol/index.ts";
import { type ClusterConfig, type Config, StartRefused } from "../config.ts";
import { fillKeys, openFollower, openState, type State, watch } from "../core.ts";
import { openNodeManifest } from "../data-folder-manifest.ts";
import { writeLastSnapshot } from "../last-snapshot.ts";
import { listenOn } from "../listen.ts";
import type { Log } from "../log.ts";
import { createSharedCounts, type SharedCounts } from "../public-server.ts";
import type { RunningExchange } from "../running-exchange.ts";
import { listen, openGateways, type Serving } from "../servers.ts";
import { readBranch } from "../states/branch-file.ts";
import { VERSION } from "../version.ts";
import { watchOperation } from "../watch-operation.ts";
import { Following } from "./following.ts";
import { Lead } from "./lead.ts";
import { MembershipWatch } from "./membership-watch.ts";
import type { NodeCore } from "./node-core.ts";
import { asNodeEnded } from "./node-ended.ts";
import { NodeEngine } from "./node-engine.ts";
import { MasterKeyWatch, removeOutdatedKeys } from "./node-keys.ts";
import { NodeLimits } from "./node-limits.ts";
import { NodeLinks } from "./node-links.ts";
import { NodeReports } from "./node-reports.ts";
import { NodeWebhooks } from "./node-webhooks.ts";
import { openLog, shareKeys } from "./open-log.ts";

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
  const { id, origin } = openNodeManifest(config.dataFolder, journal.venueId, journal.sandbox);
  const venue = { id, restoredSequence: origin?.sequence ?? null };
  removeOutdatedKeys(config);
  const branch = await readBranch(config.dataFolder, platform.files);
  const state = await openState(config, branch, journal, log, platform, end);
  if (config.profile === "demo" && state.clock.isBehind) throw new StartRefused(NO_DEMO);
  const node = await Node.open({ ...config, venue }, cluster, state, log, end);
  return await node.serve(lock);
}

const NO_DEMO =
  "The log has no demo: make one with `rialto cluster demo`, or begin with the folder of another " +
  "(`rialto cluster init --from`), or use --profile empty.";

class Node {
  readonly #config: Config;
  readonly #cluster: ClusterConfig;
  readonly #log: Log;
  readonly #core: NodeCore;
  /** Of the secrets that all nodes share. */
  readonly #keyRows: MemberRows;
  readonly #leaseRow: LeaseRow;
  readonly #changes: ChangeLock;
  readonly #webhookRows: WebhookRows;
  readonly #members: MembershipWatch;
  readonly #counts: SharedCounts;
  readonly #limits: NodeLimits;
  readonly #links: NodeLinks;
  readonly #following: Following;
  readonly #reports: NodeReports;
  readonly #run: string;
  readonly #end: (error: Error) => void;
  #url: string;
  /** Where other nodes reach this one. */
  #link = "";
  #watched: WatchedLease | null = null;
  /** Null while this node follows. */
  #lead: Lead | null = null;
  #isStopping = false;

  private constructor(
    config: Config,
    cluster: ClusterConfig,
    core: NodeCore,
    log: Log,
    end: (error: Error) => void,
  ) {
    const { clock, network, randomness, scheduler } = core.platform;
    const { journal } = core;
    const { advertise, node, postgresUrls: urls } = cluster;
    const run = randomness.bytes(RUN_BYTES).toString("hex");
    this.#config = config;
    this.#cluster = cluster;
    this.#url = advertise ?? "";
    this.#log = log;
    this.#core = core;
    this.#end = end;
    this.#run = run;
    const { venueId } = journal;
    const session = { urls, venueId, network, scheduler, log: () => undefined };
    this.#keyRows = new MemberRows(session);
    this.#leaseRow = new LeaseRow(session);
    this.#changes = new ChangeLock(session);
    this.#webhookRows = new WebhookRows(session);
    const self = () => ({
      name: node,
      run,
      url: this.#url,
      link: this.#link,
      version: VERSION,
      rules: RULES_VERSION,
      sequence: core.served.durableSequence,
      lagMs: journal.confirmedLagMs,
    });
    const masterKeys = new MasterKeyWatch(core.keys, this.#keyRows, log, end);
    this.#members = new MembershipWatch(
      new MemberRows(session),
      { clock, scheduler },
      () => ({ ...self(), ...masterKeys.told }),
      () => this.#lead === null && this.#links.routed.leader === null,
      (membership) => {
        masterKeys.look(membership);
        this.#lead?.handOverTo(membership.successor);
      },
    );
    this.#counts = createSharedCounts(randomness);
    this.#limits = new NodeLimits(openRateLimits(this.#counts.rates), clock);
    const shared = { members: this.#members, limits: this.#limits };
    const onLeaderLost = () => this.#watched?.lookNow();
    this.#links = new NodeLinks({ node, run, core, ...shared, onLeaderLost });
    core.keys.confirmWith(() => this.#links.everywhere());
    this.#following = new Following(core, this.#links, end);
    this.#reports = new NodeReports({
      name: node,
      run,
      core,
      members: this.#members,
      leaseRow: this.#leaseRow,
      postgres: new PostgresWatch(urls, core.platform),
      routed: this.#links.routed,
      url: () => this.#url,
      lead: () => this.#lead,
      isStopping: () => this.#isStopping,
    });
    core.metrics.cluster.watch(() => this.#reports.reading());
    journal.observe(core.metrics.cluster);
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
    // Metrics are wanted most when a leader may not answer.
    const seen = { ...core, engine: new EngineClient(served.present) };
    watch(seen);
    const node = new Node(config, cluster, core, log, end);
    watchOperation(config.dataFolder, seen, async () => (await node.#lead?.figures()) ?? []);
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
      demoAccounts: this.#reports.demo?.accounts ?? [],
      notReadyBecause: () => this.#reports.notReadyBecause(),
      node: this.#reports,
      signed: this.#links.routed,
      mutex: new Mutex(this.#changes),
      onFatal: this.#end,
    };
    const gateways = openGateways(serving);
    const servers = await listen(serving, gateways, {
      house: null,
      states: null,
      webhooks: new NodeWebhooks((call) => this.#links.askWebhooks(call), config.webhookTargets),
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
      if (this.#isStopping) return;
      this.#lead = new Lead(
        {
          config,
          name: this.#cluster.node,
          core: this.#core,
          log: this.#log,
          lease,
          leaseRow: this.#leaseRow,
          members: this.#members,
          keyRows: this.#keyRows,
          webhookRows: this.#webhookRows,
          links: this.#links,
          following: this.#following,
          gateways,
          end: this.#end,
        },
        claimStartedMs,
      );
    });
    const stop = async (): Promise<void> => {
      if (this.#isStopping) return;
      this.#isStopping = true;
      this.#watched?.stop();
      const closed = servers.close();
      await this.#lead?.giveUp(closed);
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

  #leaseOptions(): LeaseOptions {
    const { clock, scheduler } = this.#core.platform;
    const owner = `${this.#cluster.node}/${this.#run}`;
    return { table: this.#leaseRow, owner, clock, scheduler };
  }

  /** In dependency order: accepted requests were answered. */
  async #close(): Promise<void> {
    const { follower, history, journal, keys, replay } = this.#core;
    await this.#lead?.stopOwn();
    await this.#members.stop();
    await this.#links.close();
    await this.#lead?.stop();
    await this.#following.stop();
    await follower.stop();
    const sequencer = this.#lead?.sequencer ?? replay;
    await writeLastSnapshot({ ...this.#core, sequencer }, this.#log);
    await history.close();
    await journal.close();
    const sessions = [this.#keyRows, this.#leaseRow, this.#changes, this.#webhookRows];
    await Promise.all(sessions.map((each) => each.close()));
    keys.close();
  }
}
