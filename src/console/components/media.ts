/** Whether a media query matches, for what CSS alone cannot do. */
import { useCallback, useSyncExternalStore } from "react";

export function useMedia(query: string): boolean {
  const subscribe = useCallback(
    (listener: () => void) => {
      const media = matchMedia(query);
      media.addEventListener("change", listener);
      return () => media.removeEventListener("change", listener);
    },
    [query],
  );
  return useSyncExternalStore(subscribe, () => matchMedia(query).matches);
}

/** Whether the screen is a phone's, as the style sheets see it. */
export function useNarrow(): boolean {
  return useMedia("(max-width: 700px)");
}
