/** Configuration of an exchange. `cli/` reads it from flags and the environment (`RIALTO_*`). */
import type { Confirming } from "../journal/index.ts";

export const PROFILES = ["demo", "empty"] as const;
export type Profile = (typeof PROFILES)[number];

export interface Config {
  /** Address and port of the API; port 0 picks a free one. */
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  /** Threads that serve the API; 0: the engine's. `auto`: as many as this machine has cores for. */
  readonly gateways: number | "auto";
  /** `one`: journal, history and snapshots share the engine's thread, which needs less memory. */
  readonly threads: "many" | "one";
  readonly dataFolder: string;
  /** A state file, or the folder of a checkpoint or a sandbox, with which an empty one begins. */
  readonly from: string | null;
  readonly profile: Profile;
  /** Lets the operator advance the clock; the data folder then always needs this flag. */
  readonly sandbox: boolean;
  readonly rateLimits: "standard" | "off";
  readonly marketMakers: "on" | "off";
  /** How long the demo's history is at its first start. */
  readonly demoHistoryMs: number;
  /** Milliseconds between two updates of a stream channel. */
  readonly streamIntervalMs: number;
  /** CIDR ranges whose X-Forwarded-For header is trusted. */
  readonly trustedProxies: readonly string[];
  /** Most connections per address, streams included; not enforced when rate limits are off. */
  readonly connectionsPerAddress: number;
  /** Also serves `/metrics` on the API's port, without a key. */
  readonly publicMetrics: boolean;
  /** Allows the demo profile, whose keys are printed, to listen on a non-loopback address. */
  readonly exposeDemo: boolean;
  /** Whether the console shows the demo's keys to requests from this machine. */
  readonly demoKeys: "on" | "off";
  /** Starts even if the wall clock is behind the last journaled time. */
  readonly acceptClockRegression: boolean;
  /** Null: generated once and kept in the data folder. */
  readonly masterKeyFile: string | null;
  readonly operatorToken: string | null;
  /** Where webhooks may go: public addresses over TLS and this machine, or anywhere. */
  readonly webhookTargets: "public" | "any";
  readonly logLevel: string;
  /** Of a node of a cluster; null for an exchange on one machine. */
  readonly cluster: ClusterConfig | null;
  /** Which venue the data folder is, from when it is open. */
  readonly venue?: VenueMark;
  /** Of tests, in which little is a lot. */
  readonly sizes?: Sizes | undefined;
}

/** After what the journal begins another segment, and a snapshot is due. */
export interface Sizes {
  readonly segmentBytes: number;
  readonly snapshotCommands: number;
  /** If anything changed. */
  readonly snapshotMs: number;
}

export interface ClusterConfig {
  /** Of all nodes of PostgreSQL, each the address of the same database. */
  readonly postgresUrls: readonly string[];
  /** The name of this node. */
  readonly node: string;
  /** Where clients reach this node; null for the address and port of its API. */
  readonly advertise: string | null;
  /** Where the other nodes reach this one; port 0 picks a free one. */
  readonly listen: { readonly host: string; readonly port: number };
  /** What standbys must have shown before the leader answers. */
  readonly confirm: Confirming;
}

/** The venue's id, and the last command that was restored, null unless it came from a backup. */
export interface VenueMark {
  readonly id: string;
  readonly restoredSequence: number | null;
}

/** The exchange cannot start as configured; the message says what to do. Never a bug. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
  /** 78 (EX_CONFIG) when a person must decide (damage, another version); otherwise 1. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** A start is refused when journaled time is further than this ahead of the wall clock. */
export const CLOCK_REGRESSION_MAX_MS = 60_000;

export const GATEWAYS_MAX = 64;

const HOUR_MS = 3_600_000;
export const DEMO_HISTORY_MIN_MS = 6 * HOUR_MS;
export const DEMO_HISTORY_MAX_MS = 90 * 24 * HOUR_MS;

export const CONNECTIONS_PER_ADDRESS_DEFAULT = 256;
export const CONNECTIONS_PER_ADDRESS_MAX = 10_000;

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** Whether the address is reachable only from this machine. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Refuses combinations of settings that contradict each other or would expose the exchange. */
export function checkConfig(config: Config): void {
  const { gateways, threads } = config;
  if (threads === "one" && gateways !== "auto" && gateways > 0) {
    throw new StartRefused(
      `--gateways ${gateways} needs threads of its own: leave out --threads one.`,
    );
  }
  if (config.cluster !== null) checkNode(config);
  if (config.profile !== "demo" || config.exposeDemo) return;
  for (const [flag, host] of [
    ["--host", config.host],
    ["--operator-host", config.operatorHost],
  ] as const) {
    if (isLoopback(host)) continue;
    throw new StartRefused(
      "The demo profile prints its keys and its operator token, and " +
        `${flag} ${host} is not loopback. Use ${flag} 127.0.0.1, --profile empty, or ` +
        "--expose-demo if that is what you want.",
    );
  }
}

/** What a node cannot be: its state is that of a cluster, and its secrets are shared. */
function checkNode({ cluster, from, gateways, masterKeyFile }: Config): void {
  const isAlone = cluster?.postgresUrls.length === 1 && cluster.confirm !== "off";
  const refusal = [
    isAlone
      ? "The leader asks the standbys of PostgreSQL whether they have what it acknowledged: name " +
        "all nodes of PostgreSQL in --postgres, or trust the primary alone with --confirm off."
      : null,
    from !== null
      ? "A node begins with its cluster's log: leave out --from. `rialto cluster init --from` " +
        "begins a cluster with the state of another data folder."
      : null,
    gateways !== "auto" && gateways > 0
      ? "A node has one gateway, beside its engine: leave out --gateways, and start more nodes."
      : null,
    masterKeyFile === null
      ? "The nodes of a cluster share one master key: name its file in RIALTO_MASTER_KEY_FILE."
      : null,
  ].find((sentence) => sentence !== null);
  if (refusal !== undefined) throw new StartRefused(refusal);
}
