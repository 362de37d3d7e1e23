/**
 * A real exchange for a test, in its own process on free ports. It contains only what the test asks
 * for, and runs as a sandbox in which the test controls the clock and the mark prices.
 */
import type { OperatorClient, RialtoClient } from "../client/index.ts";
import {
  type CcxtUrls,
  type DemoAccount,
  ExchangeRun,
  type ReadyLine,
  type Run,
} from "./exchange-run.ts";
import { Faults } from "./faults.ts";
import { keepExchange, type RunningTest, whenEnded } from "./kept-exchange.ts";
import { type MarketProduct, TestMarket } from "./markets.ts";
import { OperatorCalls } from "./operator-calls.ts";
import { type ReplayOptions, type ReplaySummary, replay } from "./replay.ts";
import {
  awaitRequest,
  type ExpectedRequest,
  findRequests,
  type LoggedRequest,
  type RequestFilter,
} from "./request-log.ts";
import { SharedProcess } from "./shared-process.ts";
import { type Checkpoint, ExchangeStates } from "./states.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folders.ts";
import { Triggers } from "./triggers.ts";
import {
  type ContractChoice,
  createUser,
  type Deposit,
  deposit,
  listMarkets,
  type MarketChoice,
  type TestUser,
  type UserOptions,
} from "./venue.ts";

export interface TestExchangeOptions {
  /** Spot markets to list: `["BTCUSDT"]`. */
  readonly spot?: readonly MarketChoice[];
  /** Contracts to list, each with an index price. */
  readonly contracts?: readonly ContractChoice[];
  /** Kept when the exchange stops; the default is a temporary folder, which is removed. */
  readonly dataFolder?: string;
  /**
   * Starts with a copy of this state: a checkpoint of another exchange (which keeps running), a
   * sandbox's data folder, or a state file. `dataFolder` must then be empty.
   */
  readonly from?: Checkpoint | string;
  /** `demo` has markets, accounts and traders of its own. */
  readonly profile?: "empty" | "demo";
  /** Whether the demo has simulated traders and history. */
  readonly marketMakers?: "on" | "off";
  /** Default: off. */
  readonly rateLimits?: "standard" | "off";
  /** If false, the clock and mark prices cannot be moved. */
  readonly sandbox?: boolean;
  /**
   * Whether journal, history and gateways have their own threads; by default only in the `demo`
   * profile and with `--gateways`. An exchange in one thread starts faster and needs less memory.
   */
  readonly threads?: "one" | "many";
  /**
   * The test's context, as passed by node:test or vitest. The exchange stops when the test ends; if
   * the test failed, its state and log are kept.
   */
  readonly test?: RunningTest;
  /** Additional flags of `rialto start`. */
  readonly flags?: readonly string[];
  /** Additional environment variables; RIALTO_… variables of the test are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly readyTimeoutMs?: number;
}

const READY_TIMEOUT_MS = 60_000;
const EXPECT_TIMEOUT_MS = 10_000;
const HOST = "127.0.0.1";
/** Required if the ready line has none, i.e. without `--sandbox` on an empty profile. */
const TOKEN = "operator-token-of-a-test-exchange";

/** Resolves when requests are accepted. Rejects with `ExchangeNotStarted`. */
export function startExchange(options: TestExchangeOptions = {}): Promise<TestExchange> {
  return open(options, async (flags, timeoutMs) => {
    const isSmall = threadsOf(options) === "one";
    const run = new ExchangeRun("start", flags, environmentOf(options), isSmall);
    return { run, ready: await run.ready(timeoutMs) };
  });
}

/** Without the options that only a single exchange takes. */
type SharedOptions = Omit<TestExchangeOptions, "dataFolder" | "threads">;

/**
 * Starts several independent exchanges in one process, with the same options. Eight take less
 * memory than two processes. A crash ends all of them, so none can be killed alone.
 */
export async function startExchanges(
  count: number,
  options: SharedOptions = {},
): Promise<readonly TestExchange[]> {
  const shared = new SharedProcess(environmentOf(options));
  const exchanges: TestExchange[] = [];
  try {
    while (exchanges.length < count) {
      const alike = { ...options, threads: "one" } as const;
      exchanges.push(await open(alike, (flags, timeoutMs) => shared.start(flags, timeoutMs)));
    }
    return exchanges;
  } catch (error) {
    await Promise.all(exchanges.map((exchange) => exchange.stop()));
    await shared.end();
    throw error;
  }
}

/** Starts an exchange with these flags of `rialto start`. */
type Launch = (flags: readonly string[], timeoutMs: number) => Promise<Launched>;

interface Launched {
  readonly run: Run;
  readonly ready: ReadyLine;
}

async function open(options: TestExchangeOptions, launch: Launch): Promise<TestExchange> {
  const dataFolder = options.dataFolder ?? makeTemporaryFolder();
  const timeoutMs = options.readyTimeoutMs ?? READY_TIMEOUT_MS;
  const relaunch = (earlier: ReadyLine | null): Promise<Launched> =>
    launch(flagsOf(options, dataFolder, earlier), timeoutMs);
  const launched = await relaunch(null).catch((error: unknown) => {
    if (options.dataFolder === undefined) removeTemporaryFolder(dataFolder);
    throw error;
  });
  const exchange = new TestExchange(options, dataFolder, launched, relaunch);
  if (options.test !== undefined) whenEnded(options.test, (failed) => exchange.leave(failed));
  try {
    const { spot = [], contracts = [] } = options;
    if (spot.length + contracts.length === 0) return exchange;
    await listMarkets(exchange.operator, spot, contracts);
    // What the test asked for is part of what a reset goes back to.
    if (options.sandbox !== false) await exchange.states.markReset();
    return exchange;
  } catch (error) {
    await exchange.stop();
    throw error;
  }
}

function pathOf(from: Checkpoint | string): string {
  return typeof from === "string" ? from : from.folder;
}

function environmentOf({
  env,
}: Pick<TestExchangeOptions, "env">): Readonly<Record<string, string>> {
  return { RIALTO_OPERATOR_TOKEN: TOKEN, ...env };
}

/** On the ports of the previous run, if any, so that clients find it again. */
function flagsOf(
  options: TestExchangeOptions,
  dataFolder: string,
  earlier: ReadyLine | null,
): readonly string[] {
  const flags = [
    ["--host", HOST, "--port", String(earlier?.port ?? 0)],
    ["--operator-host", HOST, "--operator-port", String(earlier?.operatorPort ?? 0)],
    ["--data-dir", dataFolder, "--log-level", "warn"],
    ["--profile", options.profile ?? "empty"],
    ["--market-makers", options.marketMakers ?? "on"],
    ["--rate-limits", options.rateLimits ?? "off"],
    ["--threads", threadsOf(options)],
    options.sandbox === false ? [] : ["--sandbox"],
    options.from === undefined || earlier !== null ? [] : ["--from", pathOf(options.from)],
    options.flags ?? [],
  ];
  return flags.flat();
}

/** One is enough, unless a test asks for more. */
function threadsOf(options: TestExchangeOptions): "one" | "many" {
  const { env = {}, flags = [], profile = "empty", threads } = options;
  if (threads !== undefined) return threads;
  const hasGateways = flags.includes("--gateways") || "RIALTO_GATEWAYS" in env;
  return hasGateways || profile === "demo" ? "many" : "one";
}

type Credentials = Pick<TestUser, "apiKey" | "secret" | "passphrase">;

export interface CcxtOptions {
  readonly apiKey: string;
  readonly secret: string;
  readonly password: string;
  readonly urls: CcxtUrls;
  /** False where the exchange has no rate limits: ccxt's own wait takes seconds of a test. */
  readonly enableRateLimit: boolean;
}

/** Omitted settings stay unchanged; `freeze: false` is a speed of 1. */
export interface ClockSetting {
  readonly freeze?: boolean;
  readonly speed?: number;
  /** Stands still between the messages of a replayed market, whose time it is. */
  readonly run?: "follow-market";
  readonly setMs?: number;
}

export class TestExchange implements AsyncDisposable {
  readonly dataFolder: string;
  /** Any call of the operator API: `operator.call("PUT", "affiliates/7", {…})`. */
  readonly operator: OperatorCalls;
  /** Fault rules; a restart removes them. */
  readonly faults: Faults;
  readonly states: ExchangeStates;
  /** Scenarios: liquidations, deleveragings, crashes: `trigger.liquidate(user)`. */
  readonly trigger: Triggers;
  readonly #options: TestExchangeOptions;
  readonly #relaunch: (earlier: ReadyLine) => Promise<Launched>;
  #run: Run;
  #ready: ReadyLine;
  #isStopped = false;

  /** Made by `startExchange`. */
  constructor(
    options: TestExchangeOptions,
    dataFolder: string,
    { run, ready }: Launched,
    relaunch: (earlier: ReadyLine) => Promise<Launched>,
  ) {
    this.#options = options;
    this.dataFolder = dataFolder;
    this.#run = run;
    this.#ready = ready;
    this.#relaunch = relaunch;
    this.operator = new OperatorCalls(this.operatorUrl, this.operatorToken);
    this.faults = new Faults(this.operator);
    this.trigger = new Triggers(this.operator);
    this.states = new ExchangeStates(this.operator, dataFolder);
  }

  /** The base URL of the API, for v2 and v3. */
  get url(): string {
    return `http://${HOST}:${this.#ready.port}`;
  }

  get operatorUrl(): string {
    return `http://${HOST}:${this.#ready.operatorPort}`;
  }

  get operatorToken(): string {
    return this.#options.env?.RIALTO_OPERATOR_TOKEN ?? TOKEN;
  }

  /** Accounts of the demo profile, with their keys. */
  get demoAccounts(): readonly DemoAccount[] {
    return this.#ready.demo;
  }

  /** What the exchange printed when it was ready; `ready.urls` is for ccxt. */
  get ready(): ReadyLine {
    return this.#ready;
  }

  /** For ccxt: `client.urls.api = exchange.ccxtUrls`, REST and WebSocket. */
  get ccxtUrls(): CcxtUrls["api"] {
    return this.#ready.urls.api;
  }

  /** For ccxt: `new ccxt.weex(exchange.ccxt(alice))`, REST and WebSocket. */
  ccxt({ apiKey, secret, passphrase }: Credentials): CcxtOptions {
    const enableRateLimit = this.#options.rateLimits === "standard";
    return { apiKey, secret, password: passphrase, urls: this.#ready.urls, enableRateLimit };
  }

  /** A client with the user's keys; without a user, for public calls only. */
  async client(user?: Credentials): Promise<RialtoClient> {
    const { RialtoClient: Client } = await import("../client/index.ts");
    const options = { baseUrl: this.url };
    if (user === undefined) return new Client(options);
    const { apiKey, secret, passphrase } = user;
    return new Client({ ...options, credentials: { apiKey, secret, passphrase } });
  }

  /** A client with a typed method for each call of the operator API. */
  async operatorClient(): Promise<OperatorClient> {
    const { OperatorClient: Client } = await import("../client/index.ts");
    return new Client({ baseUrl: this.operatorUrl, token: this.operatorToken });
  }

  /** The process id of the exchange. */
  get pid(): number {
    return this.#run.pid;
  }

  /** The exchange's last output, for the message of a failed test. */
  get output(): string {
    return this.#run.output;
  }

  /** Creates a user with funds and a key, by default with all permissions. */
  createUser(options: UserOptions = {}): Promise<TestUser> {
    return createUser(this.operator, options);
  }

  /** Resolves to the new balance of the wallet. */
  deposit(made: Deposit): Promise<string> {
    return deposit(this.operator, made);
  }

  /** Resolves after triggers and liquidations; null unpins the mark. */
  async setMarkPrice(symbol: string, price: string | null): Promise<void> {
    await this.operator.call("PUT", `sandbox/mark-prices/${symbol}`, { price });
  }

  async setIndexPrice(symbol: string, price: string): Promise<void> {
    await this.operator.call("PUT", `index-prices/${symbol}`, { price, force: true });
  }

  /** Controls a market: book, price, liquidity. By default spot, if the symbol is listed there. */
  market(symbol: string, product?: MarketProduct): TestMarket {
    return new TestMarket(this.operator, symbol, product);
  }

  /** Advances exchange time; resolves to the new time when everything due has happened. */
  async advanceClock(ms: number): Promise<number> {
    const path = "sandbox/clock/advance";
    const { time } = await this.operator.call<{ readonly time: number }>("POST", path, { ms });
    return time;
  }

  /**
   * Stops exchange time, lets it run `speed` times as fast as the wall clock (0.1 to 10,000), lets
   * a replayed market move it, or sets it forward to `setMs`. Resolves to exchange time when
   * everything due has happened.
   */
  async setClock(clock: ClockSetting): Promise<number> {
    const path = "sandbox/clock";
    const { time } = await this.operator.call<{ readonly time: number }>("POST", path, clock);
    return time;
  }

  /** The last 10,000 requests, oldest first. */
  requests(filter: RequestFilter = {}): Promise<readonly LoggedRequest[]> {
    return findRequests(this.operator, filter);
  }

  /**
   * Resolves with the first request, past or future, that has these fields. Rejects with
   * `RequestMissing`.
   */
  expectRequest(
    expected: ExpectedRequest,
    { timeoutMs = EXPECT_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<LoggedRequest> {
    return awaitRequest(this.operator, expected, timeoutMs);
  }

  /**
   * Plays a recorded market: LOBSTER's messages (and order book), trades, Binance's aggTrades or
   * candles; also with gzip. Rejects with `ReplayFailed`.
   */
  replay(files: string | readonly string[], options: ReplayOptions): Promise<ReplaySummary> {
    return replay(this, files, options);
  }

  /** Resolves when everything so far is in the history and has been sent on all streams. */
  async quiet(): Promise<void> {
    await this.operator.call("GET", "sandbox/quiet");
  }

  /** Saves the current state, history and clock under this name, or a generated one. */
  checkpoint(name?: string): Promise<Checkpoint> {
    return this.states.checkpoint(name);
  }

  /** Goes back to a checkpoint: state, history, ids and clock. Connections stay open. */
  restore(checkpoint: Checkpoint | string): Promise<void> {
    return this.states.restore(checkpoint);
  }

  /** Goes back to the state that `startExchange` returned. */
  reset(): Promise<void> {
    return this.states.reset();
  }

  /** Shuts down cleanly and removes a temporary folder. May be called more than once. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#run.end("SIGTERM");
    if (this.#options.dataFolder === undefined) removeTemporaryFolder(this.dataFolder);
  }

  /** Ends it at once, like `kill -9`; everything acknowledged is in the folder. */
  kill(): Promise<void> {
    return this.#run.end("SIGKILL");
  }

  /** Restarts on the same folder and ports, with a clean shutdown unless it was killed. */
  async restart(): Promise<void> {
    if (this.#isStopped)
      throw new Error("This exchange was stopped: start another with startExchange().");
    await this.#run.end("SIGTERM");
    const { run, ready } = await this.#relaunch(this.#ready);
    this.#run = run;
    this.#ready = ready;
  }

  /**
   * Saves state, log and requests in a folder below `rialto-failures` or RIALTO_KEEP_FOLDER, and
   * prints the command that opens them. Resolves to the folder. The state contains working keys.
   */
  keep(name: string): Promise<string> {
    return keepExchange(this, name);
  }

  /** Runs `work`; if it fails, keeps the exchange and rejects with the same error. */
  async keepIfFails<Value>(name: string, work: () => Promise<Value>): Promise<Value> {
    try {
      return await work();
    } catch (error) {
      await this.keep(name);
      throw error;
    }
  }

  /** Its test has ended; `failed` is the name of one that failed. */
  async leave(failed: string | null): Promise<void> {
    try {
      if (failed !== null) await this.keep(failed);
    } finally {
      await this.stop();
    }
  }

  /** Whoever named the test leaves it to the end of that. */
  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#options.test === undefined) await this.stop();
  }
}
