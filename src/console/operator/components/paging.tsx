/** Cursor-based lists, paged back and forth. */
import { type ReactElement, useState } from "react";
import { Button } from "../../components/button.tsx";
import { type Query, useQuery } from "../../data/query.ts";
import styles from "./layout.module.css";

export interface Page<Item, Cursor> {
  readonly items: readonly Item[];
  readonly next: Cursor | null;
}

export interface Paged<Item, Cursor> {
  readonly query: Query<Page<Item, Cursor>>;
  /** 1 for the first. */
  readonly pageNumber: number;
  readonly goBack: (() => void) | null;
  readonly goOn: (() => void) | null;
}

/** `key` identifies the list: a new key starts at the first page. */
export function usePages<Item, Cursor extends string | number>(
  key: string,
  fetchPage: (after: Cursor | undefined, signal: AbortSignal) => Promise<Page<Item, Cursor>>,
  intervalMs: number | null = null,
): Paged<Item, Cursor> {
  const [place, setPlace] = useState<{ key: string; cursors: readonly Cursor[] }>({
    key,
    cursors: [],
  });
  const cursors = place.key === key ? place.cursors : [];
  const after = cursors.at(-1);
  const query = useQuery(`${key} ${after ?? ""}`, (signal) => fetchPage(after, signal), intervalMs);
  const next = query.answer?.next ?? null;
  return {
    query,
    pageNumber: cursors.length + 1,
    goBack: cursors.length === 0 ? null : () => setPlace({ key, cursors: cursors.slice(0, -1) }),
    goOn: next === null ? null : () => setPlace({ key, cursors: [...cursors, next] }),
  };
}

interface PagerProps {
  /** "users". */
  readonly what: string;
  readonly paged: Pick<Paged<unknown, string | number>, "pageNumber" | "goBack" | "goOn">;
}

/** Nothing if there is only one page. */
export function Pager({ what, paged }: PagerProps): ReactElement | null {
  const { pageNumber, goBack, goOn } = paged;
  if (goBack === null && goOn === null) return null;
  return (
    <nav className={styles.pager} aria-label={`Pages of ${what}`}>
      <Button size="small" disabled={goBack === null} onClick={() => goBack?.()}>
        Previous
      </Button>
      <span>Page {pageNumber}</span>
      <Button size="small" disabled={goOn === null} onClick={() => goOn?.()}>
        Next
      </Button>
    </nav>
  );
}
