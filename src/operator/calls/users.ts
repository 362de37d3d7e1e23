/** Users: registration, state and settings, balances, fee rates. */
import { Type } from "typebox";
import type { UserView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { call, type Outcome, type Plane } from "../call.ts";
import { drawInviteCode } from "../invite-code.ts";
import { refuse } from "../refusal.ts";
import {
  Amount,
  AssetName,
  Fields,
  Flag,
  InviteCode,
  MarketSymbol,
  Nothing,
  Nullable,
  PageAfterNumber,
  PageOf,
  Product,
  SelfTradePrevention,
  SignedAmount,
  TimestampMs,
  Uid,
  UserState,
} from "../schemas.ts";

const TAG = "Users";
/** Two drawn codes of 50 bits are never the same so many times in a row. */
const REGISTRATION_ATTEMPTS_MAX = 5;

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

function toUser(view: UserView) {
  const { uid, inviteCode, inviterUid, kyc, state, house, selfTradePrevention } = view;
  const registeredAt = view.registeredMs;
  return { uid, inviteCode, inviterUid, kyc, state, house, selfTradePrevention, registeredAt };
}

async function readUser(plane: Plane, uid: number): Promise<Outcome<ReturnType<typeof toUser>>> {
  const reply = await plane.engine.ask({ type: "user", uid });
  return reply.ok ? done(toUser(reply.value)) : reply;
}

const registerUser = call(
  {
    id: "registerUser",
    method: "POST",
    path: "/operator/v1/users",
    tag: TAG,
    summary: "Register a user, perhaps as the invitee of the owner of an invite code",
    params: Nothing,
    query: Nothing,
    body: Fields({
      uid: Type.Optional(Uid),
      inviteCode: Type.Optional(InviteCode),
      kyc: Type.Optional(Flag),
    }),
    answer: Fields({ uid: Uid, inviteCode: InviteCode }),
  },
  async ({ body, actor }, { engine }) => {
    for (let attempt = 1; ; attempt++) {
      const reply = await engine.execute({
        type: "register-user",
        actor,
        uid: body.uid ?? null,
        inviteCode: drawInviteCode(),
        invitedWith: body.inviteCode ?? null,
        kyc: body.kyc ?? false,
      });
      if (reply.ok) return done({ uid: reply.value.uid, inviteCode: reply.value.inviteCode });
      const codeTaken =
        "reason" in reply && reply.reason === "conflict" && reply.field === "inviteCode";
      if (!codeTaken || attempt === REGISTRATION_ATTEMPTS_MAX) return reply;
    }
  },
);

const listUsers = call(
  {
    id: "listUsers",
    method: "GET",
    path: "/operator/v1/users",
    tag: TAG,
    summary: "All users, in order of uid",
    params: Nothing,
    query: PageAfterNumber,
    body: Nothing,
    answer: PageOf(User, Uid),
  },
  async ({ query }, { engine }) => {
    const limit = pageLimit(query);
    const reply = await engine.ask({ type: "users", afterUid: query.after ?? 0, limit });
    return reply.ok ? done(toPage(reply.value, limit, toUser, (user) => user.uid)) : reply;
  },
);

const getUser = call(
  {
    id: "getUser",
    method: "GET",
    path: "/operator/v1/users/{uid}",
    tag: TAG,
    summary: "One user",
    params: OneUser,
    query: Nothing,
    body: Nothing,
    answer: User,
  },
  ({ params }, plane) => readUser(plane, params.uid),
);

const updateUser = call(
  {
    id: "updateUser",
    method: "PATCH",
    path: "/operator/v1/users/{uid}",
    tag: TAG,
    summary: "Change a user's state and settings; what is not given stays",
    params: OneUser,
    query: Nothing,
    body: Fields({
      kyc: Type.Optional(Flag),
      state: Type.Optional(UserState),
      house: Type.Optional(Flag),
      selfTradePrevention: Type.Optional(SelfTradePrevention),
    }),
    answer: User,
  },
  async ({ params, body, actor }, plane) => {
    const { uid } = params;
    const { house, ...settings } = body;
    if (Object.keys(body).length === 0) {
      return refuse("malformed", null, "give one of kyc, state, house, selfTradePrevention");
    }
    if (Object.keys(settings).length > 0) {
      const reply = await plane.engine.execute({
        type: "update-user",
        actor,
        uid,
        kyc: settings.kyc ?? null,
        state: settings.state ?? null,
        selfTradePrevention: settings.selfTradePrevention ?? null,
      });
      if (!reply.ok) return reply;
    }
    if (house !== undefined) {
      const reply = await plane.engine.execute({ type: "set-house-account", actor, uid, house });
      if (!reply.ok) return reply;
    }
    return readUser(plane, uid);
  },
);

const getBalances = call(
  {
    id: "getBalances",
    method: "GET",
    path: "/operator/v1/users/{uid}/balances",
    tag: TAG,
    summary:
      "A user's spot balances of every listed asset, and contract balances of every margin asset",
    params: OneUser,
    query: Nothing,
    body: Nothing,
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
  },
  async ({ params }, { engine }) => {
    const { uid } = params;
    const [spotReply, contractReply] = await Promise.all([
      engine.ask({ type: "spot-balances", uid }),
      engine.ask({ type: "contract-balances", uid }),
    ]);
    if (!spotReply.ok) return spotReply;
    if (!contractReply.ok) return contractReply;
    const spot = spotReply.value.map(({ asset, available, frozen, equity }) => {
      return { asset, available, frozen, equity };
    });
    const contract = contractReply.value.map((row) => {
      const { asset, available, orderMargin, positionMargin, balance } = row;
      return { asset, available, orderMargin, positionMargin, balance };
    });
    return done({ spot, contract });
  },
);

const setFeeRates = call(
  {
    id: "setFeeRates",
    method: "PUT",
    path: "/operator/v1/users/{uid}/fee-rates",
    tag: TAG,
    summary: "A user's own fee rates for a product or one symbol, for orders placed afterwards",
    params: OneUser,
    query: Nothing,
    body: Fields({
      product: Product,
      symbol: Type.Optional(MarketSymbol),
      makerFeeRate: Amount,
      takerFeeRate: Amount,
    }),
    answer: FeeRates,
  },
  async ({ params, body, actor }, { engine }) => {
    const { product, makerFeeRate, takerFeeRate } = body;
    const rates = { product, symbol: body.symbol ?? null, makerFeeRate, takerFeeRate };
    const reply = await engine.execute({
      type: "set-fee-rates",
      actor,
      uid: params.uid,
      ...rates,
    });
    return reply.ok ? done(rates) : reply;
  },
);

const getFeeRates = call(
  {
    id: "getFeeRates",
    method: "GET",
    path: "/operator/v1/users/{uid}/fee-rates",
    tag: TAG,
    summary: "A user's own fee rates; an empty list means those of the markets",
    params: OneUser,
    query: Nothing,
    body: Nothing,
    answer: Fields({ items: Type.Array(FeeRates) }),
  },
  async ({ params }, { engine }) => {
    const reply = await engine.ask({ type: "user", uid: params.uid });
    return reply.ok ? done({ items: [...reply.value.feeRates] }) : reply;
  },
);

export const USER_CALLS = [
  registerUser,
  listUsers,
  getUser,
  updateUser,
  getBalances,
  setFeeRates,
  getFeeRates,
];
