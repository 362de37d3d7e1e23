/** The insurance funds, one per asset, fed and drained by the operator. */

import { reject } from "../../domain/index.ts";
import type { OperatorMovement } from "../../queries/history-port.ts";
import { askHistory, done, pageLimit, toPage } from "../answers.ts";
import { type Call, call } from "../call.ts";
import {
  Amount,
  AssetName,
  Count,
  Fields,
  Nothing,
  PageAfterNumber,
  PageOf,
  RequestId,
  TimestampMs,
} from "../schemas.ts";
import { toListedMovement, toMovement } from "./movement-answers.ts";

const TAG = "Insurance";
const OneFund = Fields({ asset: AssetName });
/** The fund itself belongs to no user. */
const INSURANCE_UID = 0;

const KINDS = [
  { name: "deposit", title: "Deposit", command: "deposit-insurance" },
  { name: "withdrawal", title: "Withdrawal", command: "withdraw-insurance" },
] as const;

type Kind = (typeof KINDS)[number];

function makeCall({ name, title, command }: Kind): Call {
  return call(
    {
      id: `makeInsurance${title}`,
      method: "POST",
      path: `/operator/v1/insurance/{asset}/${name}s`,
      tag: TAG,
      summary: `Make a ${name} of an insurance fund; a repeated id gets the first answer again`,
      params: OneFund,
      query: Nothing,
      body: Fields({ id: RequestId, amount: Amount }),
      answer: Fields({ id: RequestId, balance: Amount }),
    },
    async ({ params, body, actor }, { engine }) => {
      const { id: requestId, amount } = body;
      const { asset } = params;
      const reply = await engine.execute({ type: command, actor, requestId, asset, amount });
      return reply.ok ? done({ id: requestId, balance: reply.value.balance }) : reply;
    },
  );
}

function listCall({ name, title, command }: Kind): Call {
  return call(
    {
      id: `listInsurance${title}s`,
      method: "GET",
      path: `/operator/v1/insurance/{asset}/${name}s`,
      tag: TAG,
      summary: `The ${name}s of an insurance fund, oldest first`,
      params: OneFund,
      query: PageAfterNumber,
      body: Nothing,
      answer: PageOf(
        Fields({ id: RequestId, asset: AssetName, amount: Amount, time: TimestampMs }),
        Count,
      ),
    },
    async ({ params, query }, plane) => {
      const { asset } = params;
      const limit = pageLimit(query);
      const fund = await plane.engine.ask({ type: "insurance", asset });
      if (!fund.ok) return fund;
      const uid = INSURANCE_UID;
      const question = { command, uid, asset, afterMovementId: query.after ?? 0, limit };
      const rows = await askHistory(plane, "operator-movements", question, fund.sequence);
      if (!rows.ok) return rows;
      const cursorOf = (row: OperatorMovement) => row.movementId;
      return done(toPage(rows.value, limit, toListedMovement, cursorOf));
    },
  );
}

function getCall({ name, title, command }: Kind): Call {
  return call(
    {
      id: `getInsurance${title}`,
      method: "GET",
      path: `/operator/v1/insurance/{asset}/${name}s/{id}`,
      tag: TAG,
      summary: `One ${name} of an insurance fund by its id, with the balance of its answer`,
      params: Fields({ asset: AssetName, id: RequestId }),
      query: Nothing,
      body: Nothing,
      answer: Fields({
        id: RequestId,
        asset: AssetName,
        amount: Amount,
        balance: Amount,
        time: TimestampMs,
      }),
    },
    async ({ params }, { engine }) => {
      const { asset, id: requestId } = params;
      const uid = INSURANCE_UID;
      const reply = await engine.ask({ type: "funds-movement", command, uid, requestId });
      if (!reply.ok) return reply;
      if (reply.value.asset !== asset) return reject("unknown-movement", "id");
      return done(toMovement(reply.value));
    },
  );
}

const getFund = call(
  {
    id: "getInsurance",
    method: "GET",
    path: "/operator/v1/insurance/{asset}",
    tag: TAG,
    summary: "The balance of an insurance fund",
    params: OneFund,
    query: Nothing,
    body: Nothing,
    answer: Fields({ asset: AssetName, balance: Amount }),
  },
  async ({ params }, { engine }) => {
    const reply = await engine.ask({ type: "insurance", asset: params.asset });
    return reply.ok ? done({ asset: params.asset, balance: reply.value.balance }) : reply;
  },
);

export const INSURANCE_CALLS = [
  getFund,
  ...KINDS.flatMap((kind) => [makeCall(kind), listCall(kind), getCall(kind)]),
];
