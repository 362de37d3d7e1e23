/** Refreshes the account lists whenever the private streams report a change. */
import { useEffect } from "react";
import { useActivity } from "../../activity/activity-provider.tsx";
import { useMarket } from "../market.tsx";

/** Many fills of one order count as one change. */
const SETTLE_MS = 150;

/** Use once per page. Does nothing while signed out. */
export function useAccountChanges(): void {
  const { streams } = useActivity();
  const { rules, refreshAccount } = useMarket();
  const { product } = rules;
  useEffect(() => {
    if (streams === null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const change = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        refreshAccount();
      }, SETTLE_MS);
    };
    const own = streams[product];
    const channels = [own.orders(), own.fills(), own.account()];
    for (const channel of channels) channel.listen(change);
    const positions = "positions" in own ? own.positions() : null;
    positions?.listen(change);
    const stopState = own.onState((state) => {
      if (state.resumed) change();
    });
    return () => {
      stopState();
      for (const channel of channels) channel.close();
      positions?.close();
      if (timer !== null) clearTimeout(timer);
    };
  }, [streams, product, refreshAccount]);
}
