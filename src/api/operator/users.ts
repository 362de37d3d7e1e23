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
  house: Type.Boolean({ description: "trades for the venue: its fills earn nobody a commission" }),
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
  summary: "Register a user, perhaps as the invitee of the owner of an invite code",
  body: Fields({
    uid: Type.Optional(Uid),
    inviteCode: Type.Optional(InviteCode),
    kyc: Type.Optional(Flag),
  }),
  answer: Fields({ uid: Uid, inviteCode: InviteCode }),
});

export const listUsers = operatorRoute("listUsers", {
  tag: TAG,
  summary: "All users, in order of uid",
  query: PageAfterNumber,
  answer: PageOf(User, Uid),
});

export const getUser = operatorRoute("getUser", {
  tag: TAG,
  summary: "One user",
  params: OneUser,
  answer: User,
});

export const updateUser = operatorRoute("updateUser", {
  tag: TAG,
  summary: "Change a user's state and settings; what is not given stays",
  params: OneUser,
  body: Fields({
    kyc: Type.Optional(Flag),
    state: Type.Optional(UserState),
    house: Type.Optional(Flag),
    selfTradePrevention: Type.Optional(SelfTradePrevention),
  }),
  answer: User,
});

export const getBalances = operatorRoute("getBalances", {
  tag: TAG,
  summary:
    "A user's spot balances of every listed asset, and contract balances of every margin asset",
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
  summary: "A user's own fee rates for a product or one symbol, for orders placed afterwards",
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
  summary: "A user's own fee rates; an empty list means those of the markets",
  params: OneUser,
  answer: Fields({ items: Type.Array(FeeRates) }),
});
