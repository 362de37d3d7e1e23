/** Rules of deposits and withdrawals, and address books, as callers see them. Reads only. */
import { accept, type Result, reject } from "../../domain/index.ts";
import type {
  DepositRulesView,
  OpenWithdrawalsView,
  WithdrawalQuery,
  WithdrawalQueryAnswers,
} from "../../protocol/index.ts";
import type { State } from "../state.ts";
import { addressView } from "../withdrawals/addresses.ts";
import { rulesView } from "../withdrawals/rules.ts";
import { stateOf } from "../withdrawals/withdrawal-state.ts";
import { assetsByCoinId } from "./accounts.ts";

export function answerWithdrawalQuery(
  state: State,
  query: WithdrawalQuery,
): Result<WithdrawalQueryAnswers[WithdrawalQuery["type"]]> {
  const { rules, addresses } = state.withdrawals;
  if (query.type === "withdrawal-rules") {
    return accept(
      assetsByCoinId(state).flatMap((asset) => {
        const found = rules.get(asset.index);
        return found === undefined ? [] : [rulesView(asset, found)];
      }),
    );
  }
  if (query.type === "open-withdrawals") return accept(openWithdrawals(state));
  if (!state.users.has(query.uid)) return reject("unknown-user", "uid");
  const book = addresses.get(query.uid)?.values() ?? [];
  return accept([...book].map((address) => addressView(state, address)));
}

function openWithdrawals({ withdrawals }: State): OpenWithdrawalsView[] {
  return (["requested", "approved", "sent"] as const).map((name) => {
    const inState = [...withdrawals.open.values()].filter((each) => stateOf(each) === name);
    const since = inState.map(({ steps }) => steps.at(-1)?.timestampMs ?? 0);
    const oldestMs = since.reduce((one, other) => Math.min(one, other), Infinity);
    return { state: name, count: since.length, oldestMs: since.length === 0 ? null : oldestMs };
  });
}

/** By asset, then network. */
export function depositRulesViews(state: State): DepositRulesView[] {
  const views = [...state.deposits.required].map(([key, confirmations]) => {
    const [index = "", network = ""] = key.split(" ");
    return { asset: state.assets[Number(index)]?.asset ?? "", network, confirmations };
  });
  const nameOf = ({ asset, network }: DepositRulesView) => `${asset} ${network}`;
  return views.sort((one, other) => (nameOf(one) < nameOf(other) ? -1 : 1));
}
