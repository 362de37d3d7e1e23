/**
 * One seed: an exchange with its disk, clock, network, traders and listeners, step by step. Each
 * step lets some of them do something at the same time, perhaps with a fault, and checks what came
 * of it; from time to time, and after each restart, everything is checked.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { memoryFolder } from "../support/memory-folder.ts";
import { Random } from "../support/random.ts";
import { TRADER_ACTS } from "./acts.ts";
import { aimOf, askAround, type DrawnAim, pursue } from "./aims/aims.ts";
import type { World } from "./aims/world.ts";
import { audit } from "./audit.ts";
import { Breach, MachineEnded, StoryEnded } from "./breach.ts";
import { whileBusy } from "./busy.ts";
import { Clients } from "./client/clients.ts";
import { CommandBookWatch } from "./command-books.ts";
import { checkCrashes } from "./crash-lives.ts";
import { nextDueIn } from "./directed.ts";
import { isPaidEarly, payEarly } from "./early-payments.ts";
import { type DrawnErrand, errandsOf } from "./errands/errands.ts";
import { armFault, isAuditedBehind, type StruckFault, strikeBetweenSteps } from "./faults.ts";
import { FundingWatch } from "./funding-watch.ts";
import { checkHistory } from "./history-check.ts";
import { answerLate } from "./late-answers.ts";
import type { Listener } from "./listener.ts";
import { listMarkets, pause, SYMBOL } from "./markets.ts";
import { OPERATOR_ACTS } from "./operator-acts.ts";
import type { Product } from "./orders.ts";
import { outageOf } from "./outages.ts";
import { passTime } from "./pass-time.ts";
import { probe } from "./probes.ts";
import { Registration } from "./registration.ts";
import { endingOf, type Kept, makeCheckpoint, restoreCheckpoint } from "./restore.ts";
import { sceneOf } from "./scenes/scenes.ts";
import { aimedFaultOf, type Schedule, scheduleOf, stepRandom, weighted } from "./schedule.ts";
import { SimulatedExchange } from "./simulated-exchange.ts";
import type { SimulationOptions, SimulationResult } from "./simulation-result.ts";
import { checkState, checkStep } from "./state-check.ts";
import type { StreamVersion } from "./stream-versions.ts";
import { someListeners, subscribeAmong } from "./subscribing.ts";
import { TapeWatch } from "./tape-watch.ts";
import type { Trader } from "./trader.ts";
import { hearNothing } from "./unjournaled-commands.ts";
import { BookWatch, PrivateWatch } from "./watches.ts";

/** A trader that has sent so many orders leaves, and another one comes: histories stay one page. */
const ORDERS_PER_TRADER = 400;

/** Of a step behind which the journal's own crashes are tried. */
const CRASHES = 0.15;
/** Of a step behind which the history is what an older copy of it will be. */
const HISTORIES_KEPT = 0.04;

export type { SimulationOptions, SimulationResult } from "./simulation-result.ts";

export async function simulate(options: SimulationOptions): Promise<SimulationResult> {
  const folder = mkdtempSync(join(memoryFolder(), "rialto-simulation-"));
  const simulation = new Simulation(folder, options);
  try {
    return await simulation.run();
  } finally {
    await simulation.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

class Simulation {
  readonly #options: SimulationOptions;
  readonly #schedule: Schedule;
  readonly #exchange: SimulatedExchange;
  readonly #products: readonly Product[];
  readonly #books: readonly BookWatch[];
  readonly #commandBooks: readonly CommandBookWatch[];
  readonly #tapes: readonly TapeWatch[];
  #versions = 0;
  readonly #clients: Clients;
  #traders: Trader[] = [];
  #watches: PrivateWatch[] = [];
  #fundingWatches: FundingWatch[] = [];
  readonly #registration: Registration;
  #step = 0;
  #kept: Kept | null = null;
  #stepsDone = 0;
  readonly #faults: Record<string, number> = {};
  readonly #actors = new Set<string>();
  readonly #log: string[] = [];

  constructor(folder: string, options: SimulationOptions) {
    this.#options = options;
    const schedule = scheduleOf(options.seed);
    this.#schedule = schedule;
    this.#exchange = new SimulatedExchange(folder, schedule);
    answerLate({ turns: schedule.answerTurns, time: () => this.#exchange.life.time });
    this.#registration = new Registration(this.#exchange, schedule);
    const acts = schedule.traderActs;
    this.#products = (["spot", "contract"] as const).filter((product) =>
      acts.some((name) => name.startsWith(product)),
    );
    this.#books = this.#products.map((product) => {
      return new BookWatch(this.#exchange, product, SYMBOL, this.#nextVersion);
    });
    this.#tapes = this.#products.map((product) => {
      return new TapeWatch(this.#exchange, product, SYMBOL, this.#nextVersion);
    });
    this.#commandBooks = this.#products
      .filter(() => schedule.followsEveryChange)
      .map((product) => new CommandBookWatch(this.#exchange, product, SYMBOL));
    this.#clients = new Clients({
      exchange: this.#exchange,
      options,
      contractFunds: schedule.contractFunds,
      products: this.#products,
      takesPart: (name) => this.#takesPart(name),
      faults: this.#faults,
    });
  }

  async run(): Promise<SimulationResult> {
    const { keeps = () => true, onStep = () => undefined, seed, steps } = this.#options;
    let breach: SimulationResult["breach"] = null;
    try {
      await this.#open();
      this.#exchange.onStepBegun = () => onStep(this.#step);
      for (this.#step = 1; this.#step <= steps; this.#step++) {
        if (!keeps(this.#step)) continue;
        this.#exchange.beginStep();
        await this.#doStep(stepRandom(seed, this.#step));
        this.#stepsDone++;
      }
      await this.#undisturbed(() => this.#audit());
      await this.#undisturbed(() => this.#goToAndFro());
    } catch (error) {
      if (!(error instanceof Error)) throw error;
      if (error instanceof StoryEnded) return this.#result(null);
      const check = error instanceof Breach ? error.check : "the exchange throws nothing";
      const text = error instanceof Breach ? error.message : (error.stack ?? error.message);
      breach = { step: this.#step, check, text };
    }
    return this.#result(breach);
  }

  #result(breach: SimulationResult["breach"]): SimulationResult {
    return {
      seed: this.#options.seed,
      breach,
      steps: this.#stepsDone,
      requests: this.#exchange.requests,
      restarts: this.#exchange.restarts,
      faults: this.#faults,
      traceHash: this.#exchange.traceHash,
      actors: [...this.#actors],
      log: this.#log,
    };
  }

  get #listeners(): readonly Listener[] {
    const ofMarkets = [...this.#books, ...this.#commandBooks, ...this.#tapes];
    return [...this.#watches, ...ofMarkets, ...this.#fundingWatches];
  }

  /** Listeners use one after the other. */
  get #nextVersion(): StreamVersion {
    const { streams } = this.#schedule;
    return streams[this.#versions++ % streams.length] ?? "v3";
  }

  async close(): Promise<void> {
    this.#clients.drop();
    await this.#exchange.close();
    answerLate(null);
    hearNothing();
  }

  async #open(): Promise<void> {
    await this.#exchange.start();
    const scales = this.#takesPart("scales") ? this.#schedule.scales : undefined;
    await listMarkets(this.#exchange, { ...this.#schedule, scales });
    for (let count = 0; count < this.#schedule.traders; count++) await this.#register();
    await this.#clients.open();
    if (isPaidEarly(this.#schedule) && this.#takesPart("early-payments")) {
      const again = () => this.#stopAndStart();
      await this.#undisturbed(() => payEarly(this.#exchange, this.#traders, again));
    }
    await this.#listen();
  }

  async #register(): Promise<void> {
    const trader = await this.#registration.next(this.#traders.at(-1)?.uid);
    this.#traders.push(trader);
    const told = this.#schedule.hasPrivateStreams ? this.#products : [];
    for (const product of told) {
      this.#watches.push(new PrivateWatch(trader, product, this.#nextVersion));
    }
    const isFunded = this.#schedule.errands.includes("funding") && told.includes("spot");
    if (isFunded) this.#fundingWatches.push(new FundingWatch(trader));
  }

  /** Connects those who are not. */
  async #listen(): Promise<void> {
    for (const watch of this.#listeners) {
      if (!watch.isConnected) await this.#exchange.life.until(watch.connect());
    }
  }

  async #stopAndStart(): Promise<void> {
    for (const watch of this.#listeners) watch.disconnect();
    await this.#exchange.stop();
    await this.#exchange.start();
    await this.#clients.settle();
  }

  async #doStep(random: Random): Promise<void> {
    const { auditEvery, busyRate, faultRate, faults } = this.#schedule;
    const { without } = this.#options;
    const isFaulty = faults.length > 0 && random.chance(faultRate);
    const drawn = isFaulty ? random.pick(faults) : null;
    const aimed = aimedFaultOf(this.#options.seed, this.#step);
    const meant = aimed === null || without?.has(aimed.kind) === true ? drawn : aimed.kind;
    const kind = meant === null || without?.has(meant) === true ? null : meant;
    const isAudited = this.#step % auditEvery === 0;
    const faultRandom = kind === aimed?.kind ? aimed.random : random;
    const fault = kind === null ? null : armFault(this.#exchange, kind, faultRandom);
    if (kind !== null) this.#faults[kind] = (this.#faults[kind] ?? 0) + 1;
    const isAiming = this.#takesPart("aims");
    const aim = isAiming ? aimOf(this.#schedule, this.#products, this.#step) : null;
    await this.#interruptible(fault, async () => {
      const act = () => this.#act(random, fault, aim);
      const isDrawn = !fault?.act && this.#ownRandom(0x0fa01dcb).chance(busyRate);
      const isBusy = isDrawn && this.#takesPart("busy");
      const { life } = this.#exchange;
      await life.until(isBusy ? whileBusy(this.#ownRandom(0x03707344), life, act) : act());
      if (kind !== null) await strikeBetweenSteps(this.#exchange, kind, faultRandom);
      if (kind === "restart") await this.#stopAndStart();
      if (kind === "streams-cut") this.#cutStreams(random);
    });
    if (fault !== null) await this.#undisturbed(() => this.#afterFault(fault));
    const isHit = isAuditedBehind(fault, this.#ownRandom(0x510e527f));
    if (isAudited || isHit) await this.#undisturbed(() => this.#audit());
    else await this.#undisturbed(() => this.#checkStep());
    await this.#undisturbed(() => askAround(this.#world, aim, this.#ownRandom(0x71374491)));
    for (const { check } of this.#errands) await this.#undisturbed(() => check(this.#world));
    await this.#undisturbed(async () => {
      if (this.#takesPart("operator")) await this.#probe();
    });
    await this.#undisturbed(() => this.#playScene());
    await this.#undisturbed(() => this.#tryCrashes());
    await this.#undisturbed(() => this.#goDown());
    await this.#undisturbed(() => this.#goBack(random));
  }

  async #checkStep(): Promise<void> {
    await checkStep(this.#exchange);
    this.#clients.check();
  }

  get #errands(): readonly DrawnErrand[] {
    const all = errandsOf(this.#options.seed, this.#step);
    return all.filter(({ name }) => this.#takesPart(name));
  }

  /** Randomness that leaves the draws of everything else alone. */
  #ownRandom(key: number): Random {
    return stepRandom(this.#options.seed ^ key, this.#step);
  }

  get #world(): World {
    return {
      exchange: this.#exchange,
      traders: this.#traders,
      products: this.#products,
      watches: this.#watches,
      fundingWatches: this.#fundingWatches,
      listeners: this.#listeners,
      streamIntervalMs: this.#schedule.streamIntervalMs,
    };
  }

  async #probe(): Promise<void> {
    const at = { seed: this.#options.seed, step: this.#step };
    await probe(this.#exchange, this.#traders, this.#schedule.sandbox, at);
  }

  async #playScene(): Promise<void> {
    const scene = sceneOf(this.#schedule, this.#products, this.#step);
    if (scene === null || !this.#takesPart("scenes")) return;
    this.#log.push(`step ${this.#step}: scene ${scene.name}`);
    await scene.play(this.#exchange, this.#traders);
  }

  async #tryCrashes(): Promise<void> {
    const random = this.#ownRandom(0x2c1b3c6d);
    if (random.chance(CRASHES)) await checkCrashes(this.#exchange, random);
    if (random.chance(HISTORIES_KEPT)) this.#exchange.keepHistory();
  }

  /** For a while, with nobody connected. */
  async #goDown(): Promise<void> {
    const outage = outageOf(this.#schedule, this.#products, this.#step);
    if (outage === null || !this.#takesPart("aims")) return;
    this.#log.push(`step ${this.#step}: ${outage.name}`);
    for (const watch of this.#listeners) watch.disconnect();
    await outage.happen(this.#world);
    await this.#listen();
    await this.#audit();
  }

  /** The checkpoint and its restore, which ends the story that the journal tells. */
  async #goBack(random: Random): Promise<void> {
    const { restore } = this.#schedule;
    const world = { ...this.#world, traders: this.#allTraders };
    if (this.#step === restore?.madeAt) this.#kept = await makeCheckpoint(world);
    const kept = this.#kept;
    if (this.#step !== restore?.usedAt || kept === null) return;
    this.#log.push(`step ${this.#step}: restore`);
    await this.#clients.goBack(() => restoreCheckpoint(world, kept, random));
    throw new StoryEnded("the exchange went back");
  }

  /** Nothing can come afterwards. */
  async #goToAndFro(): Promise<void> {
    const end = endingOf(this.#schedule, this.#ownRandom(0x4d2c6dfc));
    if (end === null || !this.#takesPart("states")) return;
    await this.#clients.goBack(() => end({ ...this.#world, traders: this.#allTraders }));
  }

  #cutStreams(random: Random): void {
    for (const watch of this.#listeners) if (random.chance(0.5)) watch.disconnect();
  }

  async #afterFault(fault: StruckFault): Promise<void> {
    fault.heal();
    await this.#listen();
  }

  #takesPart(actor: string): boolean {
    if (this.#options.silent?.has(actor) === true) return false;
    this.#actors.add(actor);
    return true;
  }

  /** What some do at the same time. */
  async #act(random: Random, fault: StruckFault | null, aim: DrawnAim | null): Promise<void> {
    const { operatorActs, together, traderActs } = this.#schedule;
    const names: string[] = [];
    const acts: Promise<unknown>[] = [];
    const actors = random.shuffle([...this.#traders]).slice(0, random.integer(1, together));
    for (const trader of actors) {
      const own = new Random(random.integer(0, 0x7fffffff));
      const act = weighted(own, TRADER_ACTS, traderActs);
      if (act === null || !this.#takesPart(trader.name)) continue;
      trader.way = own.pick(this.#schedule.ways);
      names.push(`${trader.name} ${act.name}`);
      acts.push(act.value(trader, own, fault?.wire));
    }
    if (random.chance(0.1)) {
      const act = weighted(random, OPERATOR_ACTS, operatorActs);
      if (act !== null && this.#takesPart("operator")) {
        names.push(`operator ${act.name}`);
        acts.push(act.value(this.#exchange, random));
      }
    }
    const isJoined = random.chance(this.#schedule.reconnectRate) && this.#takesPart("listeners");
    for (const watch of isJoined ? someListeners(this.#listeners, random) : []) {
      names.push("reconnect");
      acts.push(subscribeAmong(watch, this.#world, random));
    }
    if (aim !== null) {
      names.push(`aim ${aim.name}`);
      acts.push(pursue(aim, this.#world));
    }
    for (const errand of this.#errands) {
      names.push(`errand ${errand.name}`);
      acts.push(errand.act(this.#world, fault?.wire));
    }
    const ofClients = this.#clients.act(this.#step);
    names.push(...ofClients.names);
    acts.push(...ofClients.acts);
    if (fault !== null) names.push(`fault ${fault.name}`);
    if (fault?.act) acts.push(fault.act(this.#traders));
    this.#log.push(`step ${this.#step}: ${names.join(", ")}`);
    await Promise.all(acts);
    const dueMs = random.chance(0.3) ? nextDueIn(this.#exchange, random) : null;
    if (dueMs !== null) await passTime(this.#exchange, dueMs);
    else if (random.chance(0.2)) await passTime(this.#exchange, pause(random));
    else await passTime(this.#exchange, random.integer(1, 5));
  }

  /** Starts the exchange again if it ends, as its fault explains. */
  async #interruptible(fault: StruckFault | null, work: () => Promise<void>): Promise<void> {
    try {
      await work();
      // It may have stopped in what was still under way behind the answers.
      this.#exchange.checkRunning();
    } catch (error) {
      if (!(error instanceof MachineEnded)) throw error;
      await this.#restart(fault, error);
    }
    const retired = this.#traders.filter(({ sentOrders }) => sentOrders > ORDERS_PER_TRADER);
    for (const trader of retired) await this.#undisturbed(() => this.#replace(trader));
  }

  async #restart(fault: StruckFault | null, error: MachineEnded): Promise<void> {
    const { life } = this.#exchange;
    const isExplained = life.files.stopped || life.files.hasFailed || life.failingThread !== null;
    if (!isExplained && fault?.ending === undefined) {
      const why = life.fatal?.stack ?? error.stack ?? error.message;
      throw new Breach("the exchange never exits by itself", why);
    }
    const ending = fault?.ending ?? { disk: "kill", history: "kept" };
    fault?.heal();
    for (const watch of this.#listeners) watch.disconnect();
    if (this.#exchange.hasLied) this.#clients.drop();
    await this.#exchange.end(ending);
    await this.#exchange.start();
    await this.#clients.settle();
    if (this.#exchange.hasLied) return await this.#checkWhatIsLeft();
    if (fault?.cutsAgain === true) await this.#cutAgain();
    for (const trader of this.#traders) {
      await this.#exchange.life.until(trader.settleMovements());
    }
    await this.#listen();
    // Otherwise the step ends with it.
    if (fault?.isAudited !== true) await this.#audit();
  }

  /** Whatever a start found, and anybody has seen since, must be there after a power cut. */
  async #cutAgain(): Promise<void> {
    await checkStep(this.#exchange);
    await this.#exchange.end({ disk: "drops-all", history: "kept" });
    await this.#exchange.start();
    await this.#clients.settle();
  }

  /** After lies: an earlier state, whole, of which every part tells the same. */
  async #checkWhatIsLeft(): Promise<void> {
    this.#exchange.forget();
    await checkState(this.#exchange);
    for (const trader of this.#allTraders) {
      for (const product of this.#products) {
        if (!this.#exchange.story.naive.users.has(trader.uid)) continue;
        const state = await this.#exchange.life.until(trader.readAccount(product));
        checkHistory(trader, product, state);
      }
    }
    throw new StoryEnded("the disk had lied");
  }

  /** Without a fault, nothing may end the exchange. */
  async #undisturbed(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof MachineEnded)) throw error;
      const { fatal } = this.#exchange.life;
      const { failingThread, files } = this.#exchange.life;
      // A call that failed behind the journal's writer ends it at its next commit.
      if (failingThread !== null || files.hasFailed) return await this.#restart(null, error);
      throw new Breach("the exchange never exits by itself", fatal?.stack ?? String(error.stack));
    }
  }

  async #replace(trader: Trader): Promise<void> {
    const { life } = this.#exchange;
    for (const product of this.#products) {
      await life.until(trader.cancelAll(product, SYMBOL));
    }
    await this.#audit();
    this.#traders = this.#traders.filter((other) => other !== trader);
    const left = [...this.#watches, ...this.#fundingWatches];
    for (const watch of left) if (watch.trader === trader) watch.disconnect();
    this.#watches = this.#watches.filter((watch) => watch.trader !== trader);
    this.#fundingWatches = this.#fundingWatches.filter((watch) => watch.trader !== trader);
    await this.#register();
    await this.#listen();
  }

  get #allTraders(): readonly Trader[] {
    return [...this.#traders, ...this.#clients.traders];
  }

  async #audit(): Promise<void> {
    for (const trader of this.#allTraders) {
      await this.#exchange.life.until(trader.settleMovements());
    }
    await audit({
      exchange: this.#exchange,
      traders: this.#allTraders,
      formerUids: this.#registration.formerUids(this.#traders),
      privateWatches: this.#watches,
      fundingWatches: this.#fundingWatches,
      books: this.#books,
      commandBooks: this.#commandBooks,
      tapes: this.#tapes,
      products: this.#products,
    });
    await this.#clients.audit();
  }
}
