/** What a venue is started with. Flags and environment (`RIALTO_*`) become this in `cli/`. */

export const PROFILES = ["demo", "empty"] as const;
export type Profile = (typeof PROFILES)[number];

export interface Config {
  /** Address and port of the API; port 0 picks a free one. */
  readonly host: string;
  readonly port: number;
  readonly operatorHost: string;
  readonly operatorPort: number;
  readonly dataFolder: string;
  readonly profile: Profile;
  /** Lets the operator advance the clock; the data folder then always needs this flag. */
  readonly sandbox: boolean;
  readonly rateLimits: "standard" | "off";
  readonly marketMakers: "on" | "off";
  /** Between two updates of a stream's channel. */
  readonly streamIntervalMs: number;
  /** CIDR ranges whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  /** Connections that one address may hold, streams included; none counted without rate limits. */
  readonly connectionsPerAddress: number;
  /** Serves `/metrics` on the port of the API too, where it needs no key. */
  readonly publicMetrics: boolean;
  /** Lets the demo profile, whose keys are printed, listen on an address that others reach. */
  readonly exposeDemo: boolean;
  /** Whether the console shows the demo's keys to who asks from this machine. */
  readonly demoKeys: "on" | "off";
  /** Starts although the wall clock is behind the last journaled time. */
  readonly acceptClockRegression: boolean;
  /** Null: drawn once and kept in the data folder. */
  readonly masterKeyFile: string | null;
  readonly operatorToken: string | null;
  readonly logLevel: string;
}

/** The venue cannot start as asked; the message says what to do. Never a fault of the program. */
export class StartRefused extends Error {
  override readonly name = "StartRefused";
  /** 78 (EX_CONFIG) when only a person can decide: damage, another version; 1 otherwise. */
  readonly exitCode: number;

  constructor(message: string, exitCode = 1) {
    super(message);
    this.exitCode = exitCode;
  }
}

/** Journaled time may be so much ahead of the wall clock before a start is refused. */
export const CLOCK_REGRESSION_MAX_MS = 60_000;

export const CONNECTIONS_PER_ADDRESS_DEFAULT = 256;
export const CONNECTIONS_PER_ADDRESS_MAX = 10_000;

const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|localhost)$/;

/** Whether only this machine reaches it. */
export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

/** Refuses combinations that would give the venue away. */
export function checkConfig(config: Config): void {
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
