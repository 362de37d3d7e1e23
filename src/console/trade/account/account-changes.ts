/** Refreshes the account lists whenever the private streams report a change. */
import { useEffect } from "react";
import { useSession } from "../../session/session.tsx";
import { useMarket } from "../market.tsx";

/** Many fills of one order count as one change. */
const SETTLE_MS = 150;

/** Use once per page. Does nothing while signed out. */
export function useAccountChanges(): void {
  const { client, apiKey } = useSession();
  const { rules, refreshAccount } = useMarket();
  const { product } = rules;
  useEffect(() => {
    if (apiKey === null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const change = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        refreshAccount();
      }, SETTLE_MS);
    };
    const streams =
      product === "spot" ? client.streams.spotAccount() : client.streams.contractAccount();
    streams.orders().listen(change);
    streams.fills().listen(change);
    streams.account().listen(change);
    if ("positions" in streams) streams.positions().listen(change);
    const stopState = streams.onState((state) => {
      if (state.resumed) change();
    });
    return () => {
      stopState();
      streams.close();
      if (timer !== null) clearTimeout(timer);
    };
  }, [client, apiKey, product, refreshAccount]);
}
