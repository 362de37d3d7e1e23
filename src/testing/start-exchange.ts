/**
 * A real exchange for a test, in a process of its own on free ports. It contains only what the test
 * asks for, and runs as a sandbox in which the test controls the clock and the marks.
 */
import { type CcxtUrls, type DemoAccount, ExchangeRun, type ReadyLine } from "./exchange-run.ts";
import { Faults } from "./faults.ts";
import { OperatorCalls } from "./operator-calls.ts";
import {
  awaitRequest,
  type ExpectedRequest,
  findRequests,
  type LoggedRequest,
  type RequestFilter,
} from "./request-log.ts";
import { type Checkpoint, ExchangeStates } from "./states.ts";
import { makeTemporaryFolder, removeTemporaryFolder } from "./temporary-folders.ts";
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
   * Begins with a copy of this state: a checkpoint of another exchange, which goes on, the data
   * folder of one, or a state file. Not together with a folder that is not empty.
   */
  readonly from?: Checkpoint | string;
  /** `demo` has markets, accounts and traders of its own. */
  readonly profile?: "empty" | "demo";
  /** Whether the demo's traders trade. */
  readonly marketMakers?: "on" | "off";
  /** Off unless a test is about them. */
  readonly rateLimits?: "standard" | "off";
  /** Without it the clock and the marks cannot be moved. */
  readonly sandbox?: boolean;
  /** Further flags of `rialto start`. */
  readonly flags?: readonly string[];
  /** Further environment variables; RIALTO_… variables of the test process are not passed on. */
  readonly env?: Readonly<Record<string, string>>;
  readonly readyTimeoutMs?: number;
}

const READY_TIMEOUT_MS = 60_000;
const EXPECT_TIMEOUT_MS = 10_000;
const HOST = "127.0.0.1";
/** Required if the ready line has none, i.e. without `--sandbox` on an empty profile. */
const TOKEN = "operator-token-of-a-test-exchange";

/** Resolves when requests are accepted. Rejects with `ExchangeNotStarted`. */
export async function startExchange(options: TestExchangeOptions = {}): Promise<TestExchange> {
  const dataFolder = options.dataFolder ?? makeTemporaryFolder();
  const isTemporary = options.dataFolder === undefined;
  const launched = await launch(options, dataFolder, null).catch((error: unknown) => {
    if (isTemporary) removeTemporaryFolder(dataFolder);
    throw error;
  });
  const exchange = new TestExchange(options, dataFolder, launched);
  try {
    const { spot = [], contracts = [] } = options;
    await listMarkets(exchange.operator, spot, contracts);
    // What the test asked for is part of what a reset goes back to.
    if (options.sandbox !== false && spot.length + contracts.length > 0) {
      await exchange.states.markReset();
    }
    return exchange;
  } catch (error) {
    await exchange.stop();
    throw error;
  }
}

function pathOf(from: Checkpoint | string): string {
  return typeof from === "string" ? from : from.folder;
}

interface Launched {
  readonly run: ExchangeRun;
  readonly ready: ReadyLine;
}

/** On the ports of the previous run, if any, so that clients find it again. */
async function launch(
  options: TestExchangeOptions,
  dataFolder: string,
  earlier: ReadyLine | null,
): Promise<Launched> {
  const flags = [
    ["--host", HOST, "--port", String(earlier?.port ?? 0)],
    ["--operator-host", HOST, "--operator-port", String(earlier?.operatorPort ?? 0)],
    ["--data-dir", dataFolder, "--log-level", "warn"],
    ["--profile", options.profile ?? "empty"],
    ["--market-makers", options.marketMakers ?? "on"],
    ["--rate-limits", options.rateLimits ?? "off"],
    options.sandbox === false ? [] : ["--sandbox"],
    options.from === undefined || earlier !== null ? [] : ["--from", pathOf(options.from)],
    options.flags ?? [],
  ];
  const run = new ExchangeRun(flags.flat(), { RIALTO_OPERATOR_TOKEN: TOKEN, ...options.env });
  const ready = await run.ready(options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  return { run, ready };
}

/** What is left out stays as it is; `freeze: false` is a speed of 1. */
export interface ClockSetting {
  readonly freeze?: boolean;
  readonly speed?: number;
  readonly setMs?: number;
}

export class TestExchange implements AsyncDisposable {
  readonly dataFolder: string;
  /** Any call of the operator API: `operator.call("PUT", "affiliates/7", {…})`. */
  readonly operator: OperatorCalls;
  /** What goes wrong between a program and the exchange; a restart forgets the rules. */
  readonly faults: Faults;
  readonly states: ExchangeStates;
  readonly #options: TestExchangeOptions;
  #run: ExchangeRun;
  #ready: ReadyLine;
  #isStopped = false;

  /** Made by `startExchange`. */
  constructor(options: TestExchangeOptions, dataFolder: string, { run, ready }: Launched) {
    this.#options = options;
    this.dataFolder = dataFolder;
    this.#run = run;
    this.#ready = ready;
    this.operator = new OperatorCalls(this.operatorUrl, this.operatorToken);
    this.faults = new Faults(this.operator);
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

  /** The process id of the exchange. */
  get pid(): number {
    return this.#run.pid;
  }

  /** The exchange's last output, for the message of a failed test. */
  get output(): string {
    return this.#run.output;
  }

  /** A new user with funds and a key of all permissions, unless the options say otherwise. */
  createUser(options: UserOptions = {}): Promise<TestUser> {
    return createUser(this.operator, options);
  }

  /** Returns the wallet's balance afterwards. */
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

  /** Advances exchange time; resolves to the new time when everything due has happened. */
  async advanceClock(ms: number): Promise<number> {
    const path = "sandbox/clock/advance";
    const { time } = await this.operator.call<{ readonly time: number }>("POST", path, { ms });
    return time;
  }

  /**
   * Stops exchange time, lets it run `speed` times as fast as the wall clock (0.1 to 10,000), or
   * sets it forward to `setMs`. Resolves to exchange time when everything due has happened.
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
   * Resolves with the first request that has these fields, among those so far and those to come.
   * Rejects with `RequestMissing`.
   */
  expectRequest(
    expected: ExpectedRequest,
    { timeoutMs = EXPECT_TIMEOUT_MS }: { readonly timeoutMs?: number } = {},
  ): Promise<LoggedRequest> {
    return awaitRequest(this.operator, expected, timeoutMs);
  }

  /** Resolves when all that has happened is in the history and has left on all streams. */
  async quiet(): Promise<void> {
    await this.operator.call("GET", "sandbox/quiet");
  }

  /** Keeps the present state, with its history and clock, under a name or one that it is given. */
  checkpoint(name?: string): Promise<Checkpoint> {
    return this.states.checkpoint(name);
  }

  /** Goes back to a checkpoint: state, history, ids and clock. Connections stay open. */
  restore(checkpoint: Checkpoint | string): Promise<void> {
    return this.states.restore(checkpoint);
  }

  /** Goes back to the state in which `startExchange` returned it. */
  reset(): Promise<void> {
    return this.states.reset();
  }

  /** Shuts down in good order and removes a temporary folder. May be called again. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#run.end("SIGTERM");
    if (this.#options.dataFolder === undefined) removeTemporaryFolder(this.dataFolder);
  }

  /** Ends it at once, like `kill -9`; everything acknowledged is in the folder. */
  kill(): Promise<void> {
    return this.#run.end("SIGKILL");
  }

  /** Restarts on the same folder and ports, in good order unless it was killed. */
  async restart(): Promise<void> {
    if (this.#isStopped) throw new Error("It was stopped: start another with startExchange().");
    await this.#run.end("SIGTERM");
    const { run, ready } = await launch(this.#options, this.dataFolder, this.#ready);
    this.#run = run;
    this.#ready = ready;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }
}
