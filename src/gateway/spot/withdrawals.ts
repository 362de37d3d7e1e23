/** Spot v3: a user's own withdrawals, address book, and deposits that were reported. */
import {
  addWithdrawalAddressRoute,
  cancelWithdrawalRoute,
  depositsRoute,
  removeWithdrawalAddressRoute,
  withdrawalAddressesRoute,
  withdrawalRoute,
  withdrawalsRoute,
  withdrawRoute,
} from "../../api/additions/withdrawals.ts";
import { refuse } from "../../api/errors.ts";
import { accept, type DepositState, ID_MAX, type WithdrawalState } from "../../domain/index.ts";
import type { WithdrawalStepAnswer } from "../../protocol/index.ts";
import type { DepositEntry, WithdrawalEntry } from "../../queries/history-port.ts";
import { requestIdOf } from "../authentication/request-id.ts";
import { type Endpoint, type Exchange, endpoint } from "../endpoint.ts";
import { queryHistory } from "../history.ts";
import { withWireNames } from "../wire-names.ts";

type State = WithdrawalState | DepositState;

function toStatus<Name extends State>(state: Name): Uppercase<Name> {
  return state.toUpperCase() as Uppercase<Name>;
}

function toState<Name extends State>(status: Uppercase<Name> | undefined): Name | null {
  return status === undefined ? null : (status.toLowerCase() as Name);
}

function toStep({ withdrawalId, state, timestampMs }: WithdrawalStepAnswer) {
  return { withdrawalId, status: toStatus(state), updateTime: timestampMs };
}

/** The address says the asset, and nothing that was sent says the user. */
const REQUEST_NAMES = { id: "clientWithdrawalId", asset: "addressId" };

const withdraw = endpoint(withdrawRoute, async (request, { engine }) => {
  const { caller, body } = request;
  const { addressId, amount } = body;
  const requestId = body.clientWithdrawalId ?? requestIdOf(request);
  const terms = { requestId, uid: caller.uid, addressId, amount };
  const reply = await engine.execute({ type: "request-withdrawal", actor: "", ...terms });
  if (reply.ok) return accept({ ...toStep(reply.value), clientWithdrawalId: requestId });
  return "unavailable" in reply || reply.field !== "uid"
    ? withWireNames(reply, REQUEST_NAMES)
    : { ...reply, field: null };
});

const cancelWithdrawal = endpoint(cancelWithdrawalRoute, async ({ caller, query }, { engine }) => {
  const { withdrawalId } = query;
  const reply = await engine.execute({ type: "cancel-withdrawal", uid: caller.uid, withdrawalId });
  return reply.ok ? accept(toStep(reply.value)) : withWireNames(reply, { state: "withdrawalId" });
});

function toItem(entry: WithdrawalEntry) {
  const { withdrawalId, asset, amount, fee, addressId, network, address, memo } = entry;
  return {
    withdrawalId,
    clientWithdrawalId: entry.requestId,
    asset,
    amount,
    fee,
    addressId,
    network,
    address,
    memo,
    status: toStatus(entry.state),
    txId: entry.reference,
    createTime: entry.requestedMs,
    updateTime: entry.changedMs,
  };
}

/** As of now, so that the history has all that earlier answers showed. */
async function sequenceOf({ engine }: Exchange) {
  const reply = await engine.query({ type: "status" });
  return reply.ok ? accept(reply.sequence) : reply;
}

const withdrawals = endpoint(withdrawalsRoute, async ({ caller, query }, exchange) => {
  const now = await sequenceOf(exchange);
  if (!now.ok) return now;
  const question = {
    uid: caller.uid,
    state: toState<WithdrawalState>(query.status),
    afterWithdrawalId: 0,
    beforeWithdrawalId: query.beforeId ?? ID_MAX,
    limit: query.limit,
  };
  const rows = await queryHistory(exchange, "withdrawals", question, now.value);
  return rows.ok ? accept(rows.value.map(toItem)) : rows;
});

/** The reasons and names of operators are not the user's. */
const withdrawal = endpoint(withdrawalRoute, async ({ caller, query }, exchange) => {
  const now = await sequenceOf(exchange);
  if (!now.ok) return now;
  const question = { withdrawalId: query.withdrawalId, uid: caller.uid };
  const found = await queryHistory(exchange, "withdrawal", question, now.value);
  if (!found.ok) return found;
  if (found.value === null) return refuse("unknown-withdrawal", "withdrawalId");
  const steps = found.value.steps.map(({ state, actor, timeMs }) => {
    return { status: toStatus(state), time: timeMs, isOwn: actor === "" };
  });
  return accept({ ...toItem(found.value), steps });
});

function toDeposit(entry: DepositEntry) {
  const { depositId, asset, amount, network, outputIndex, confirmations } = entry;
  return {
    depositId,
    asset,
    amount,
    network,
    txId: entry.transactionId,
    outputIndex,
    confirmations,
    requiredConfirmations: entry.required,
    status: toStatus(entry.state),
    createTime: entry.firstMs,
    updateTime: entry.changedMs,
  };
}

const deposits = endpoint(depositsRoute, async ({ caller, query }, exchange) => {
  const now = await sequenceOf(exchange);
  if (!now.ok) return now;
  const question = {
    uid: caller.uid,
    state: toState<DepositState>(query.status),
    afterDepositId: 0,
    beforeDepositId: query.beforeId ?? ID_MAX,
    limit: query.limit,
  };
  const rows = await queryHistory(exchange, "deposits", question, now.value);
  return rows.ok ? accept(rows.value.map(toDeposit)) : rows;
});

const addresses = endpoint(withdrawalAddressesRoute, async ({ caller }, { engine }) => {
  const reply = await engine.query({ type: "withdrawal-addresses", uid: caller.uid });
  if (!reply.ok) return reply;
  return accept(
    reply.value.map(({ uid: _, addedMs: createTime, usableFromMs: usableFrom, ...rest }) => {
      return { ...rest, createTime, usableFrom };
    }),
  );
});

/** Once per signed request: one that was captured must not bring a removed address back. */
const addAddress = endpoint(addWithdrawalAddressRoute, async (request, { engine }) => {
  const { caller, body } = request;
  const { asset, network, address, memo = "", label = "" } = body;
  const reply = await engine.executeOnce<"add-withdrawal-address">(requestIdOf(request), {
    type: "add-withdrawal-address",
    actor: "",
    uid: caller.uid,
    asset,
    network,
    address,
    memo,
    label,
  });
  if (reply.ok) {
    const { addressId, usableFromMs: usableFrom } = reply.value;
    return accept({ addressId, usableFrom });
  }
  return "unavailable" in reply || reply.field !== "uid" ? reply : { ...reply, field: null };
});

const removeAddress = endpoint(removeWithdrawalAddressRoute, async (request, { engine }) => {
  const { caller, query } = request;
  const { addressId } = query;
  const entry = { actor: "", uid: caller.uid, addressId };
  const reply = await engine.execute({ type: "remove-withdrawal-address", ...entry });
  return reply.ok ? accept({ addressId }) : reply;
});

export const FUNDING_ENDPOINTS: readonly Endpoint[] = [
  withdraw,
  withdrawal,
  cancelWithdrawal,
  withdrawals,
  deposits,
  addresses,
  addAddress,
  removeAddress,
];
