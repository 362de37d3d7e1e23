/** Something that is done on the exchange: whether it is under way, how it failed, what is said. */
import { useCallback, useState } from "react";
import { RialtoError } from "../../client/index.ts";
import { useSay } from "../components/toast.tsx";

export interface Act {
  readonly busy: boolean;
  /** Of the last try; null when it did not fail. */
  readonly failure: Error | null;
  /** Resolves to whether it went well; `work` resolves to what is said then. */
  readonly run: (work: () => Promise<string>) => Promise<boolean>;
}

export function useAct(): Act {
  const say = useSay();
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<Error | null>(null);
  const run = useCallback(
    async (work: () => Promise<string>): Promise<boolean> => {
      setBusy(true);
      setFailure(null);
      try {
        say(await work(), "good");
        return true;
      } catch (error) {
        setFailure(error instanceof Error ? error : new Error(String(error)));
        return false;
      } finally {
        setBusy(false);
      }
    },
    [say],
  );
  return { busy, failure, run };
}

/**
 * What the exchange says against one field of a form, without the name that it has in requests:
 * "a positive decimal". Null when it is about something else.
 */
export function fieldError(failure: Error | null, name: string): string | null {
  if (!(failure instanceof RialtoError) || failure.field !== name) return null;
  const { message } = failure;
  const marker = `: ${name} `;
  const at = message.indexOf(marker);
  if (at === -1) return message;
  const rest = message.slice(at + marker.length);
  return /^(is|must|has) /.test(rest) ? rest : `must be ${rest}`;
}
