/** Which theme is shown: the user's choice, else the system's. */
import { PREFERS_LIGHT, STORED_THEME } from "./theme-names.ts";

export type Theme = "dark" | "light";

export function storedTheme(): Theme | null {
  const text = localStorage.getItem(STORED_THEME);
  return text === "dark" || text === "light" ? text : null;
}

export function systemTheme(): Theme {
  return matchMedia(PREFERS_LIGHT).matches ? "light" : "dark";
}

/** Call once before rendering. */
export function applyTheme(): void {
  document.documentElement.dataset.theme = storedTheme() ?? systemTheme();
}
