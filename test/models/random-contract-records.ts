/** Random values of the commands and events of the contract side, for `random-records.ts`. */
import {
  ALGO_ORDER_TYPES,
  ALGO_STATUSES,
  END_REASONS,
  MARGIN_TYPES,
  MARKET_STATES,
  MATCH_KINDS,
  ORDER_ORIGINS,
  ORDER_STATUSES,
  ORDER_TYPES,
  POSITION_SIDES,
  SEPARATED_TYPES,
  SIDES,
  TIMES_IN_FORCE,
  WALLETS,
  WORKING_TYPES,
} from "../../src/domain/index.ts";

export interface RandomFields {
  text(): string;
  uint(): number;
  big(): bigint;
  flag(): boolean;
  pick<Item>(items: readonly Item[]): Item;
  orNull<Value>(make: () => Value): Value | null;
  list<Value>(make: () => Value): readonly Value[];
}

const working = ({ pick }: RandomFields) => pick(WORKING_TYPES);

function market({ text, uint, pick, list, orNull }: RandomFields) {
  return {
    actor: text(),
    symbol: text(),
    baseAsset: text(),
    quoteAsset: text(),
    marginAsset: text(),
    tickSize: text(),
    stepSize: text(),
    pricePrecision: uint(),
    quantityPrecision: uint(),
    contractVal: text(),
    minOrderSize: text(),
    maxOrderSize: text(),
    maxPositionSize: text(),
    marketOpenLimitSize: text(),
    minLeverage: uint(),
    maxLeverage: uint(),
    defaultLeverage: uint(),
    buyLimitPriceRatio: text(),
    sellLimitPriceRatio: text(),
    makerFeeRate: text(),
    takerFeeRate: text(),
    liquidateFeeRate: text(),
    interestRate: text(),
    fundingInnerClamp: text(),
    fundingRateCap: text(),
    fundingBufferRate: text(),
    impactNotional: text(),
    fundingIntervalMinutes: uint(),
    indexStaleMs: uint(),
    maxOpenOrders: uint(),
    tiers: list(() => ({
      maxNotional: text(),
      maintenanceMarginRate: text(),
      maxLeverage: uint(),
    })),
    state: pick(MARKET_STATES),
    // As by default, they are not written.
    insuranceSlippage: pick([text(), "0.002"]),
    insuranceDrawLimit: orNull(text),
    indexStepLimit: pick([text(), "0.1"]),
  };
}

function orderSides({ pick }: RandomFields) {
  return { side: pick(SIDES), positionSide: pick(POSITION_SIDES) };
}

export function randomContractCommands(fields: RandomFields) {
  return { ...exchangeCommands(fields), ...orderCommands(fields), ...settingsCommands(fields) };
}

/** What operators and the sequencer do, and transfers. */
function exchangeCommands(fields: RandomFields) {
  const { text, uint, flag, pick, orNull } = fields;
  return {
    "advance-time": () => ({ toMs: uint() }),
    resume: () => ({}),
    "continue-risk": () => ({}),
    "set-index-price": () => ({ actor: text(), symbol: text(), price: text(), force: flag() }),
    "pin-mark-price": () => ({ actor: text(), symbol: text(), price: orNull(text) }),
    "set-funding-rate": () => ({ actor: text(), symbol: text(), rate: orNull(text) }),
    "set-contract-market": () => market(fields),
    "set-contract-market-state": () => ({
      actor: text(),
      symbol: text(),
      state: pick(MARKET_STATES),
    }),
    "transfer-own-funds": () => ({
      requestId: text(),
      uid: uint(),
      from: pick(WALLETS),
      to: pick(WALLETS),
      asset: text(),
      amount: text(),
    }),
  };
}

function orderCommands(fields: RandomFields) {
  const { text, uint, flag, pick, orNull } = fields;
  const presets = () => ({ tpWorkingType: working(fields), slWorkingType: working(fields) });
  const user = () => ({ uid: uint(), symbol: text() });
  const allOf = () => ({ uid: uint(), symbol: orNull(text) });
  return {
    "place-contract-order": () => ({
      ...user(),
      ...orderSides(fields),
      ...presets(),
      orderType: pick(ORDER_TYPES),
      timeInForce: pick(TIMES_IN_FORCE),
      price: text(),
      quantity: text(),
      clientOrderId: text(),
      tpTriggerPrice: orNull(text),
      slTriggerPrice: orNull(text),
    }),
    "amend-contract-order": () => ({
      uid: uint(),
      orderId: orNull(uint),
      clientOrderId: orNull(text),
      price: orNull(text),
      quantity: orNull(text),
    }),
    "cancel-contract-order": () => ({
      uid: uint(),
      orderId: orNull(uint),
      clientOrderId: orNull(text),
    }),
    "cancel-all-contract-orders": allOf,
    "close-positions": () => ({ ...allOf(), positionId: orNull(uint) }),
    "place-algo-order": () => ({
      ...user(),
      ...orderSides(fields),
      ...presets(),
      orderType: pick(ALGO_ORDER_TYPES),
      quantity: text(),
      closePosition: flag(),
      isTpSl: flag(),
      triggerPrice: text(),
      price: text(),
      workingType: working(fields),
      clientAlgoId: text(),
      presetTakeProfitPrice: orNull(text),
      presetStopLossPrice: orNull(text),
      callbackRate: text(),
      activationPrice: orNull(text),
    }),
    "cancel-algo-order": () => ({ uid: uint(), algoId: uint() }),
    "cancel-all-algo-orders": allOf,
    "modify-algo-order": () => ({
      uid: uint(),
      algoId: uint(),
      triggerPrice: text(),
      executePrice: orNull(text),
      workingType: orNull(() => working(fields)),
    }),
  };
}

function settingsCommands({ text, uint, flag, pick, orNull }: RandomFields) {
  const user = () => ({ uid: uint(), symbol: text() });
  return {
    "set-leverage": () => ({
      ...user(),
      marginType: orNull(() => pick(MARGIN_TYPES)),
      crossLeverage: orNull(uint),
      isolatedLongLeverage: orNull(uint),
      isolatedShortLeverage: orNull(uint),
    }),
    "set-margin-type": () => ({
      ...user(),
      marginType: pick(MARGIN_TYPES),
      separatedType: orNull(() => pick(SEPARATED_TYPES)),
    }),
    "move-position-margin": () => ({
      uid: uint(),
      positionId: uint(),
      amount: text(),
      direction: pick(["add", "remove"] as const),
    }),
    "set-auto-append-margin": () => ({ uid: uint(), positionId: uint(), enabled: flag() }),
  };
}

function fill({ uint, big, flag, pick }: RandomFields) {
  return {
    uid: uint(),
    orderId: uint(),
    positionSide: pick(POSITION_SIDES),
    positionId: uint(),
    isClosing: flag(),
    feeMinor: big(),
    realizedPnlMinor: big(),
    walletMinor: big(),
  };
}

/** What most events that tell of a position have. */
function ofPosition({ text, uint }: RandomFields) {
  return { symbol: text(), uid: uint(), positionId: uint() };
}

function order(fields: RandomFields) {
  const { text, uint, big, pick } = fields;
  return {
    ...orderSides(fields),
    orderId: uint(),
    uid: uint(),
    symbol: text(),
    clientOrderId: text(),
    timeInForce: pick(TIMES_IN_FORCE),
    origin: pick(ORDER_ORIGINS),
    priceTicks: uint(),
    quantityLots: uint(),
    filledLots: uint(),
    filledValueMinor: big(),
  };
}

function priceEvents(fields: RandomFields) {
  const { text, uint, big, pick, orNull } = fields;
  return {
    "contract-market-set": () => market(fields),
    "contract-market-state-set": () => ({
      actor: text(),
      symbol: text(),
      state: pick(MARKET_STATES),
    }),
    "index-price-set": () => ({ actor: text(), symbol: text(), indexTicks: uint() }),
    "mark-price-pinned": () => ({ actor: text(), symbol: text(), markTicks: uint() }),
    "funding-rate-set": () => ({ actor: text(), symbol: text(), rateE8: orNull(big) }),
    "contract-prices-changed": () => ({
      symbol: text(),
      indexTicks: uint(),
      markTicks: uint(),
    }),
    "timer-fired": () => ({ timestampMs: uint() }),
    resumed: () => ({ downMs: uint() }),
    "premium-sampled": () => ({ symbol: text(), premiumE12: big(), samples: uint() }),
    "funding-settled": () => ({
      symbol: text(),
      slotMs: uint(),
      rateE8: big(),
      indexTicks: uint(),
      markTicks: uint(),
      premiumSamples: uint(),
      collectedMinor: big(),
      receivedMinor: big(),
      roundingMinor: big(),
      waivedMinor: big(),
    }),
    "funding-moved": () => ({
      ...ofPosition(fields),
      positionSide: pick(POSITION_SIDES),
      asset: text(),
      slotMs: uint(),
      deltaMinor: big(),
      walletMinor: big(),
    }),
  };
}

function orderEvents(fields: RandomFields) {
  const { text, uint, big, flag, pick } = fields;
  return {
    "contract-order-opened": () => ({ ...order(fields), leverage: uint() }),
    "contract-order-amended": () => ({
      ...order(fields),
      leverage: uint(),
      keptPriority: flag(),
      createdMs: uint(),
    }),
    "contract-trade": () => ({
      tradeId: uint(),
      symbol: text(),
      kind: pick(MATCH_KINDS),
      takerSide: pick(SIDES),
      priceTicks: uint(),
      quantityLots: uint(),
      valueMinor: big(),
      asset: text(),
      maker: fill(fields),
      taker: fill(fields),
      openInterestLots: uint(),
    }),
    "contract-order-ended": () => ({
      ...order(fields),
      orderType: pick(ORDER_TYPES),
      algoId: uint(),
      status: pick(ORDER_STATUSES),
      reason: pick(END_REASONS),
      createdMs: uint(),
    }),
    "algo-order-changed": () => ({
      ...orderSides(fields),
      algoId: uint(),
      uid: uint(),
      symbol: text(),
      clientAlgoId: text(),
      orderType: pick(ALGO_ORDER_TYPES),
      timeInForce: pick(TIMES_IN_FORCE),
      quantityLots: uint(),
      closePosition: flag(),
      reduceOnly: flag(),
      status: pick(ALGO_STATUSES),
      parentOrderId: uint(),
      actualOrderId: uint(),
      actualPriceE8: big(),
      triggerTicks: uint(),
      priceTicks: uint(),
      tpTriggerTicks: uint(),
      slTriggerTicks: uint(),
      tpWorkingType: working(fields),
      slWorkingType: working(fields),
      workingType: working(fields),
      createdMs: uint(),
      updatedMs: uint(),
      triggeredMs: uint(),
    }),
  };
}

function settingsEvents(fields: RandomFields) {
  const { text, uint, big, flag, pick } = fields;
  return {
    "contract-settings-changed": () => ({
      symbol: text(),
      uid: uint(),
      marginType: pick(MARGIN_TYPES),
      separatedType: pick(SEPARATED_TYPES),
      crossLeverage: uint(),
      isolatedLongLeverage: uint(),
      isolatedShortLeverage: uint(),
    }),
    "position-margin-moved": () => ({
      ...ofPosition(fields),
      positionSide: pick(POSITION_SIDES),
      asset: text(),
      deltaMinor: big(),
      cause: pick(["user", "auto-append"] as const),
      marginMinor: big(),
      walletMinor: big(),
    }),
    "auto-append-set": () => ({ ...ofPosition(fields), enabled: flag() }),
  };
}

function positionEvents(fields: RandomFields) {
  const { text, uint, big, pick } = fields;
  const side = () => pick(POSITION_SIDES);
  return {
    "liquidation-started": () => ({
      ...ofPosition(fields),
      positionSide: side(),
      marginType: pick(MARGIN_TYPES),
      markTicks: uint(),
      equityMinor: big(),
      maintenanceE8Minor: big(),
      asset: text(),
      walletMinor: big(),
    }),
    "liquidation-settled": () => ({
      ...ofPosition(fields),
      positionSide: side(),
      asset: text(),
      tradeId: uint(),
      residueMinor: big(),
      feeMinor: big(),
      liquidationFeeMinor: big(),
      insurancePaidMinor: big(),
      walletAfterFixMinor: big(),
      walletMinor: big(),
      insuranceMinor: big(),
    }),
    "liquidation-finished": () => ({
      ...ofPosition(fields),
      marginType: pick(MARGIN_TYPES),
      asset: text(),
      walletMinor: big(),
    }),
    "position-opened": () => ({
      ...ofPosition(fields),
      positionSide: side(),
      marginType: pick(MARGIN_TYPES),
      separatedOpenOrderId: uint(),
      leverage: uint(),
    }),
    "position-closed": () => ({
      ...ofPosition(fields),
      positionSide: side(),
      marginType: pick(MARGIN_TYPES),
      asset: text(),
      cumOpenLots: big(),
      cumOpenValueMinor: big(),
      cumOpenFeeMinor: big(),
      cumCloseLots: big(),
      cumCloseValueMinor: big(),
      cumCloseFeeMinor: big(),
      cumFundingFeeMinor: big(),
      cumLiquidateFeeMinor: big(),
      openedMs: uint(),
    }),
  };
}

export function randomContractEvents(fields: RandomFields) {
  return {
    ...priceEvents(fields),
    ...orderEvents(fields),
    ...settingsEvents(fields),
    ...positionEvents(fields),
  };
}
