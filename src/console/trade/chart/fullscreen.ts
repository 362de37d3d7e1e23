/** Fullscreen of the page: where the browser has none, what asks for it still fills the window. */
import { useCallback, useEffect, useState } from "react";

/** Whether it is on, and a function that sets it. Escape ends it. */
export function useFullscreen(): [boolean, (isFull: boolean) => void] {
  const [isFull, setFull] = useState(false);
  const set = useCallback((next: boolean): void => {
    setFull(next);
    const { documentElement, fullscreenElement } = document;
    // Refused where the page is framed or the browser is a phone's.
    if (next) documentElement.requestFullscreen?.().catch(() => undefined);
    else if (fullscreenElement !== null) void document.exitFullscreen();
  }, []);
  useEffect(() => {
    if (!isFull) return;
    const onChange = (): void => {
      if (document.fullscreenElement === null) setFull(false);
    };
    const onKey = ({ key, target }: KeyboardEvent): void => {
      const isInDialog = target instanceof Element && target.closest("dialog") !== null;
      if (key === "Escape" && !isInDialog) set(false);
    };
    document.addEventListener("fullscreenchange", onChange);
    document.addEventListener("keydown", onKey);
    return () => {
      document.removeEventListener("fullscreenchange", onChange);
      document.removeEventListener("keydown", onKey);
    };
  }, [isFull, set]);
  return [isFull, set];
}
