/** Column order by screen width: on narrow screens the important columns come first. */
import { useMemo } from "react";
import type { Column } from "../../components/data-table.tsx";
import { useMedia } from "../../components/media.ts";

const NARROW = "(max-width: 960px)";

/** `first` are column IDs; memoize both lists. */
export function useNarrowFirst<Row>(
  columns: readonly Column<Row>[],
  first: readonly string[],
): readonly Column<Row>[] {
  const isNarrow = useMedia(NARROW);
  return useMemo(() => {
    if (!isNarrow) return columns;
    const named = first.flatMap((id) => columns.filter((column) => column.id === id));
    return [...named, ...columns.filter(({ id }) => !first.includes(id))];
  }, [columns, first, isNarrow]);
}
