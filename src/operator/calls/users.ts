/** Users: registration, state and settings, balances, fee rates. */
import * as routes from "../../api/operator/users.ts";
import { reject } from "../../domain/index.ts";
import type { UserView } from "../../protocol/index.ts";
import { done, pageLimit, toPage } from "../answers.ts";
import { handle, type OperatorContext, type Outcome } from "../call.ts";
import { drawInviteCode } from "../invite-code.ts";
import { forReason } from "../reasons.ts";

/** Random 50-bit codes do not collide this many times in a row. */
const REGISTRATION_ATTEMPTS_MAX = 5;

function toUser(view: UserView) {
  const { uid, inviteCode, inviterUid, kyc, state, house, selfTradePrevention } = view;
  const registeredAt = view.registeredMs;
  return { uid, inviteCode, inviterUid, kyc, state, house, selfTradePrevention, registeredAt };
}

async function readUser(
  context: OperatorContext,
  uid: number,
): Promise<Outcome<ReturnType<typeof toUser>>> {
  const reply = await context.engine.query({ type: "user", uid });
  return reply.ok ? done(toUser(reply.value)) : reply;
}

const registerUser = handle(routes.registerUser, async ({ body, actor }, context) => {
  const { engine, randomness } = context;
  for (let attempt = 1; ; attempt++) {
    const reply = await engine.execute({
      type: "register-user",
      actor,
      uid: body.uid ?? null,
      inviteCode: drawInviteCode(randomness),
      invitedWith: body.inviteCode ?? null,
      kyc: body.kyc ?? false,
    });
    if (reply.ok) return done({ uid: reply.value.uid, inviteCode: reply.value.inviteCode });
    const codeTaken =
      "reason" in reply && reply.reason === "conflict" && reply.field === "inviteCode";
    if (!codeTaken || attempt === REGISTRATION_ATTEMPTS_MAX) return reply;
  }
});

const listUsers = handle(routes.listUsers, async ({ query }, { engine }) => {
  const limit = pageLimit(query);
  const reply = await engine.query({ type: "users", afterUid: query.after ?? 0, limit });
  return reply.ok ? done(toPage(reply.value, limit, toUser, (user) => user.uid)) : reply;
});

const getUser = handle(routes.getUser, ({ params }, context) => readUser(context, params.uid));

const updateUser = handle(routes.updateUser, async ({ params, body, actor }, context) => {
  const { uid } = params;
  const { house, reason, ...settings } = body;
  if (house === undefined && Object.keys(settings).length === 0) {
    return reject("malformed", null, "give at least one of kyc, state, house, selfTradePrevention");
  }
  if (Object.keys(settings).length > 0) {
    const { kyc = null, state = null, selfTradePrevention = null } = settings;
    const command = { type: "update-user", actor, uid, kyc, state, selfTradePrevention } as const;
    const reply = await context.engine.execute(forReason(command, reason));
    if (!reply.ok) return reply;
  }
  if (house !== undefined) {
    const reply = await context.engine.execute({ type: "set-house-account", actor, uid, house });
    if (!reply.ok) return reply;
  }
  return readUser(context, uid);
});

const getBalances = handle(routes.getBalances, async ({ params }, { engine }) => {
  const { uid } = params;
  const [spotReply, contractReply] = await Promise.all([
    engine.query({ type: "spot-balances", uid }),
    engine.query({ type: "contract-balances", uid }),
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
});

const setFeeRates = handle(routes.setFeeRates, async ({ params, body, actor }, { engine }) => {
  const { product, makerFeeRate, takerFeeRate } = body;
  const rates = { product, symbol: body.symbol ?? null, makerFeeRate, takerFeeRate };
  const reply = await engine.execute({
    type: "set-fee-rates",
    actor,
    uid: params.uid,
    ...rates,
  });
  return reply.ok ? done(rates) : reply;
});

const getFeeRates = handle(routes.getFeeRates, async ({ params }, { engine }) => {
  const reply = await engine.query({ type: "user", uid: params.uid });
  return reply.ok ? done({ items: [...reply.value.feeRates] }) : reply;
});

export const USER_CALLS = [
  registerUser,
  listUsers,
  getUser,
  updateUser,
  getBalances,
  setFeeRates,
  getFeeRates,
];
