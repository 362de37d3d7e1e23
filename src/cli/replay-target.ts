/** The exchange behind the operator API, as a replay uses it. */
import { setTimeout as sleep } from "node:timers/promises";
import { type OperatorClient, RialtoError } from "../client/index.ts";
import type { AppliedMessages, ReplayTarget } from "../tapes/index.ts";

/** While the history catches up with what was replayed. */
const BUSY_MS = 20;

export function operatorTarget(operator: OperatorClient, symbol: string): ReplayTarget {
  let uid = 0;
  return {
    async begin(base, quote) {
      ({ uid } = await operator.beginReplay({ symbol, base, quote }));
    },
    async apply(messages, levels): Promise<AppliedMessages> {
      const body = { uid, messages: [...messages], ...(levels === null ? {} : { levels }) };
      for (;;) {
        try {
          return await operator.applyRecorded(body);
        } catch (error) {
          if (!(error instanceof RialtoError) || error.code !== "overloaded") throw error;
          await sleep(BUSY_MS);
        }
      }
    },
    end: () => operator.endReplay({ uid }),
    clock: () => operator.getClock(),
    async setClock({ speed, run, setMs }) {
      const stopped = run === null ? { freeze: true } : { run };
      const pace = speed === 0 ? stopped : { speed };
      await operator.setClock({ ...pace, ...(setMs === undefined ? {} : { setMs }) });
    },
  };
}
