/** The keys of the account area: close the position of the market, cancel its orders. */
import { useMemo, useRef } from "react";
import { useToast } from "../../components/toast.tsx";
import { useMutation } from "../../data/mutation.ts";
import { useSession } from "../../session/session.tsx";
import { toOrderError } from "../form/order-error.ts";
import { useMarket } from "../market.tsx";
import { useShortcuts } from "../shortcuts.tsx";
import { cancelAllOrders } from "./open-orders.tsx";

/** The second press within it cancels. */
const TWICE_MS = 5_000;
const NEVER = Number.NEGATIVE_INFINITY;

export function useAccountShortcuts(close: () => void): void {
  const { client, apiKey } = useSession();
  const { rules, refreshAccount } = useMarket();
  const { product, symbol } = rules;
  const toast = useToast();
  const { run } = useMutation((error) => toast(toOrderError(error).text, "bad"));
  const pressedAt = useRef(NEVER);
  const shortcuts = useMemo(() => {
    const cancel = async (): Promise<string> => {
      const count = await cancelAllOrders(client, product, symbol, []);
      if (count === 0) return `No open orders in ${symbol}`;
      return count === 1 ? "1 order cancelled" : `${count} orders cancelled`;
    };
    const cancelTwice = (): void => {
      const isSecond = performance.now() - pressedAt.current < TWICE_MS;
      pressedAt.current = isSecond ? NEVER : performance.now();
      if (isSecond) void run(cancel).then(refreshAccount);
      else toast(`Press C again to cancel all open orders in ${symbol}`);
    };
    const closing = product === "contract" ? [["x", close] as const] : [];
    return apiKey === null ? {} : Object.fromEntries([["C", cancelTwice] as const, ...closing]);
  }, [client, apiKey, product, symbol, close, run, toast, refreshAccount]);
  useShortcuts(shortcuts);
}
