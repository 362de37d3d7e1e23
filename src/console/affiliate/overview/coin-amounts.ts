/** One kind of balance in each coin, USDT first. */
import type { AffiliateProfile } from "../../../client/index.ts";
import { compare } from "../../decimals/arithmetic.ts";

export interface CoinAmount {
  readonly coin: string;
  readonly amount: string;
}

type Balance = AffiliateProfile["balances"][number];

export function coinAmounts(
  balances: readonly Balance[],
  kind: "payable" | "held" | "owed" | "paid",
): readonly CoinAmount[] {
  const found = balances
    .filter((balance) => compare(balance[kind], "0") !== 0)
    .map((balance) => ({ coin: balance.coin, amount: balance[kind] }));
  const isFirst = ({ coin }: CoinAmount): boolean => coin === "USDT";
  return [...found.filter(isFirst), ...found.filter((one) => !isFirst(one))];
}
