/** Watches the signed-in account on every page: nothing that happens to it is silent. */
import {
  createContext,
  type ReactElement,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useMemo,
  useRef,
} from "react";
import type { ContractAccountStreams, SpotAccountStreams } from "../../client/index.ts";
import { useToast } from "../components/toast.tsx";
import { useSession } from "../session/session.tsx";
import { AccountWatch } from "./account-watch.ts";
import type { Activity } from "./activity.ts";
import { ActivityLog } from "./activity-log.ts";
import { notify, playSound, wantsSound } from "./announce.ts";
import { missedFills } from "./missed-fills.ts";

export interface AccountStreams {
  readonly spot: SpotAccountStreams;
  readonly contract: ContractAccountStreams;
}

interface AccountActivity {
  /** Null while signed out. */
  readonly log: ActivityLog | null;
  /** The private connections that all pages share; null while signed out. */
  readonly streams: AccountStreams | null;
  /** For what the account's streams do not tell, such as a halted market. */
  readonly report: (activity: Activity) => void;
}

const ActivityContext = createContext<AccountActivity>({
  log: null,
  streams: null,
  report: () => undefined,
});

export function ActivityProvider({ children }: { readonly children: ReactNode }): ReactElement {
  const { client, apiKey } = useSession();
  const toast = useToast();
  const log = useMemo(
    () => (apiKey === null ? null : new ActivityLog(apiKey, localStorage)),
    [apiKey],
  );
  const streams = useMemo<AccountStreams | null>(() => {
    if (apiKey === null) return null;
    return { spot: client.streams.spotAccount(), contract: client.streams.contractAccount() };
  }, [client, apiKey]);
  const report = useCallback(
    (activity: Activity): void => {
      log?.add(activity);
      if (!activity.isNews) return;
      toast(activity.text, activity.tone);
      notify(activity.text);
      if (wantsSound()) playSound(activity.tone);
    },
    [log, toast],
  );
  // The streams outlive a new `report`.
  const latestReport = useRef(report);
  latestReport.current = report;
  useEffect(() => {
    if (streams === null || log === null) return;
    const watch = new StreamsWatch(streams, (activity) => latestReport.current(activity));
    let isGone = false;
    const catchUp = async (sinceMs: number): Promise<void> => {
      const missed = await missedFills(client, sinceMs, (fill) => watch.hasSeen(fill));
      if (!isGone) for (const activity of missed) latestReport.current(activity);
    };
    const begin = async (): Promise<void> => {
      const { seenMs } = log.live.get();
      const { serverTime } = await client.spot.serverTime();
      log.seen(serverTime);
      await watch.ready;
      await catchUp(seenMs ?? serverTime);
    };
    // A key that may not read one of the products, or an exchange that is away: nothing to tell.
    begin().catch(() => undefined);
    watch.onResumed(() => {
      const { seenMs } = log.live.get();
      if (seenMs !== null) catchUp(seenMs).catch(() => undefined);
    });
    return () => {
      isGone = true;
      streams.spot.close();
      streams.contract.close();
    };
  }, [client, streams, log]);
  const value = useMemo(() => ({ log, streams, report }), [log, streams, report]);
  return <ActivityContext value={value}>{children}</ActivityContext>;
}

/** Both products. Ends with its streams. */
class StreamsWatch {
  /** Once both products are watched, or one of them will not be. */
  readonly ready: Promise<unknown>;
  readonly #streams: AccountStreams;
  readonly #spot: AccountWatch;
  readonly #contract: AccountWatch;

  constructor(streams: AccountStreams, emit: (activity: Activity) => void) {
    const { spot, contract } = streams;
    this.#streams = streams;
    this.#spot = new AccountWatch(emit);
    this.#contract = new AccountWatch(emit);
    const readies = [follow(spot, this.#spot), follow(contract, this.#contract)];
    contract.positions().listen((position) => {
      this.#contract.position(position, position.updatedTime);
    });
    this.ready = Promise.allSettled(readies.flat());
  }

  hasSeen(fill: { readonly id: number; readonly orderId: number }): boolean {
    return this.#spot.hasSeen(fill) || this.#contract.hasSeen(fill);
  }

  onResumed(listener: () => void): void {
    const { spot, contract } = this.#streams;
    for (const stream of [spot, contract]) {
      stream.onState((state) => {
        if (state.resumed) listener();
      });
    }
  }
}

function follow(
  streams: SpotAccountStreams | ContractAccountStreams,
  watch: AccountWatch,
): readonly Promise<void>[] {
  const [fills, orders] = [streams.fills(), streams.orders()];
  fills.listen((fill) => watch.fill(fill));
  orders.listen((order) => watch.order(order));
  return [fills.ready, orders.ready];
}

export function useActivity(): AccountActivity {
  return useContext(ActivityContext);
}
