/**
 * Tells when something of the user's changed, by the private streams: lists are read again then, so
 * that they always equal what REST says.
 */
import { useEffect } from "react";
import { useSession } from "../../session/session.tsx";
import { useDesk } from "../market.tsx";

/** Many fills of one order are one change. */
const SETTLES_MS = 150;

/** To be used once on a page. Nothing while nobody is signed in. */
export function useAccountChanges(): void {
  const { client, apiKey } = useSession();
  const { rules, accountChanged } = useDesk();
  const { product } = rules;
  useEffect(() => {
    if (apiKey === null) return;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const change = (): void => {
      timer ??= setTimeout(() => {
        timer = null;
        accountChanged.set(accountChanged.get() + 1);
      }, SETTLES_MS);
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
  }, [client, apiKey, product, accountChanged]);
}
