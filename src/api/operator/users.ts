/** Users: registration, state and settings, balances, fee rates. */
import { Type } from "typebox";
import {
  Amount,
  AssetName,
  Fields,
  Flag,
  InviteCode,
  MarketSymbol,
  Nullable,
  OptionalReason,
  PageAfterNumber,
  PageOf,
  Product,
  SelfTradePrevention,
  SignedAmount,
  TimestampMs,
  Uid,
  UserState,
} from "./fields.ts";
import { operatorRoute } from "./route.ts";

const TAG = "Users";

const OneUser = Fields({ uid: Uid });

const User = Fields({
  uid: Uid,
  inviteCode: InviteCode,
  inviterUid: Nullable(Uid),
  kyc: Flag,
  state: UserState,
  house: Type.Boolean({ description: "a house account: its fills earn no commissions" }),
  selfTradePrevention: SelfTradePrevention,
  registeredAt: TimestampMs,
});

const FeeRates = Fields({
  product: Product,
  symbol: Nullable(MarketSymbol),
  makerFeeRate: Amount,
  takerFeeRate: Amount,
});

export const registerUser = operatorRoute("registerUser", {
  tag: TAG,
  summary: "Register a user, optionally with an invite code",
  body: Fields({
    uid: Type.Optional(Uid),
    inviteCode: Type.Optional(InviteCode),
    kyc: Type.Optional(Flag),
  }),
  answer: Fields({ uid: Uid, inviteCode: InviteCode }),
});

export const listUsers = operatorRoute("listUsers", {
  tag: TAG,
  summary: "List users by uid",
  query: PageAfterNumber,
  answer: PageOf(User, Uid),
});

export const getUser = operatorRoute("getUser", {
  tag: TAG,
  summary: "Get a user",
  params: OneUser,
  answer: User,
});

export const updateUser = operatorRoute("updateUser", {
  tag: TAG,
  summary:
    "Change a user's state and settings; omitted fields keep their values, and the reason is " +
    "audited",
  params: OneUser,
  body: Fields({
    kyc: Type.Optional(Flag),
    state: Type.Optional(UserState),
    house: Type.Optional(Flag),
    selfTradePrevention: Type.Optional(SelfTradePrevention),
    reason: OptionalReason,
  }),
  answer: User,
});

export const getBalances = operatorRoute("getBalances", {
  tag: TAG,
  summary: "Get a user's spot balances of all assets and contract balances of all margin assets",
  params: OneUser,
  answer: Fields({
    spot: Type.Array(
      Fields({ asset: AssetName, available: Amount, frozen: Amount, equity: Amount }),
    ),
    contract: Type.Array(
      Fields({
        asset: AssetName,
        available: SignedAmount,
        orderMargin: Amount,
        positionMargin: Amount,
        balance: SignedAmount,
      }),
    ),
  }),
});

export const setFeeRates = operatorRoute("setFeeRates", {
  tag: TAG,
  summary: "Set a user's own fee rates for a product or a symbol; they apply to new orders",
  params: OneUser,
  body: Fields({
    product: Product,
    symbol: Type.Optional(MarketSymbol),
    makerFeeRate: Amount,
    takerFeeRate: Amount,
  }),
  answer: FeeRates,
});

export const getFeeRates = operatorRoute("getFeeRates", {
  tag: TAG,
  summary: "Get a user's own fee rates; without any, the markets' rates apply",
  params: OneUser,
  answer: Fields({ items: Type.Array(FeeRates) }),
});
