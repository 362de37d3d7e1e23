/** `rialto/testing`: a real exchange for each test. Needs only Node. */
import "./node-version.ts";

export {
  type CcxtUrls,
  type DemoAccount,
  ExchangeNotStarted,
  type ReadyLine,
} from "./exchange-run.ts";
export type { Fault, FaultMatch, FaultRule, FaultState, FaultTarget, FaultWhen } from "./faults.ts";
export type { RunningTest } from "./kept-exchange.ts";
export type {
  BookLevel,
  BookLevels,
  HouseBook,
  HouseLiquidity,
  LiquidityModel,
  LiquidityOptions,
  MarketProduct,
  NextFunding,
  PriceMoved,
  PriceOptions,
  TestMarket,
} from "./markets.ts";
export { type OperatorCalls, OperatorRefusal } from "./operator-calls.ts";
export { ReplayFailed, type ReplayOptions, type ReplaySummary } from "./replay.ts";
export {
  type ExpectedRequest,
  type LoggedRequest,
  type RequestFilter,
  RequestMissing,
} from "./request-log.ts";
export {
  type CcxtOptions,
  type ClockSetting,
  startExchange,
  startExchanges,
  type TestExchange,
  type TestExchangeOptions,
} from "./start-exchange.ts";
export type { Checkpoint } from "./states.ts";
export type { Scenario, ScenarioTarget, Triggered } from "./triggers.ts";
export type {
  ContractChoice,
  Deposit,
  MarketChoice,
  Permission,
  TestUser,
  UserOptions,
} from "./venue.ts";
