/**
 * An exchange for a test: the real one, in a process of its own on free ports, empty but for what
 * the test asks for, in a sandbox where the clock and the marks obey.
 */
import { type DemoAccount, ExchangeRun, type ReadyLine } from "./exchange-run.ts";
import { OperatorCalls } from "./operator-calls.ts";
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
  /** Kept when the exchange stops; a temporary one otherwise, which is removed. */
  readonly dataFolder?: string;
  /** `demo` has markets, accounts and traders of its own. */
  readonly profile?: "empty" | "demo";
  /** Whether the demo's traders trade. */
  readonly marketMakers?: "on" | "off";
  /** Switched off unless a test is about them. */
  readonly rateLimits?: "standard" | "off";
  /** Without it the clock and the marks cannot be moved. */
  readonly sandbox?: boolean;
  /** Further flags of `rialto start`. */
  readonly flags?: readonly string[];
  /** Further environment; the RIALTO_… variables of the test process are not handed down. */
  readonly env?: Readonly<Record<string, string>>;
  readonly readyTimeoutMs?: number;
}

const READY_TIMEOUT_MS = 60_000;
const HOST = "127.0.0.1";
/** Needed where the ready line has none, which is without `--sandbox` on an empty profile. */
const TOKEN = "operator-token-of-a-test-exchange";

/** Resolves when requests are taken. Rejects with `ExchangeNotStarted`. */
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
    return exchange;
  } catch (error) {
    await exchange.stop();
    throw error;
  }
}

interface Launched {
  readonly run: ExchangeRun;
  readonly ready: ReadyLine;
}

/** On the ports of an earlier run where there was one, so that clients find it again. */
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
    options.flags ?? [],
  ];
  const run = new ExchangeRun(flags.flat(), { RIALTO_OPERATOR_TOKEN: TOKEN, ...options.env });
  const ready = await run.ready(options.readyTimeoutMs ?? READY_TIMEOUT_MS);
  return { run, ready };
}

export class TestExchange implements AsyncDisposable {
  readonly dataFolder: string;
  /** Any call of the operator API: `operator.call("PUT", "affiliates/7", {…})`. */
  readonly operator: OperatorCalls;
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

  /** For ccxt: `client.urls.api = exchange.ccxtUrls`, REST and WebSocket. */
  get ccxtUrls() {
    const { url } = this;
    const streams = url.replace("http:", "ws:");
    return {
      public: url,
      private: url,
      contract: url,
      contractPrivate: url,
      ws: { spot: `${streams}/v3/ws`, contract: `${streams}/contract/v3/ws` },
    };
  }

  /** Of the exchange's process. */
  get pid(): number {
    return this.#run.pid;
  }

  /** What the exchange wrote last, for the message of a test that failed. */
  get output(): string {
    return this.#run.output;
  }

  /** A new user with funds and a key of all permissions, unless the options say otherwise. */
  createUser(options: UserOptions = {}): Promise<TestUser> {
    return createUser(this.operator, options);
  }

  /** The wallet's balance afterwards. */
  deposit(made: Deposit): Promise<string> {
    return deposit(this.operator, made);
  }

  /** Triggers and liquidations are done when it resolves; null lets the mark go again. */
  async setMarkPrice(symbol: string, price: string | null): Promise<void> {
    await this.operator.call("PUT", `sandbox/mark-prices/${symbol}`, { price });
  }

  async setIndexPrice(symbol: string, price: string): Promise<void> {
    await this.operator.call("PUT", `index-prices/${symbol}`, { price, force: true });
  }

  /** Exchange time jumps, and everything that is due has happened when it resolves to that time. */
  async advanceClock(ms: number): Promise<number> {
    const path = "sandbox/clock/advance";
    const { time } = await this.operator.call<{ readonly time: number }>("POST", path, { ms });
    return time;
  }

  /** Ends it in good order; a temporary folder is removed. Also when it was stopped before. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#run.end("SIGTERM");
    if (this.#options.dataFolder === undefined) removeTemporaryFolder(this.dataFolder);
  }

  /** As `kill -9` and a loss of power would: at once. What was acknowledged is in the folder. */
  kill(): Promise<void> {
    return this.#run.end("SIGKILL");
  }

  /** Starts again on the same folder and the same ports, in good order unless it was killed. */
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
