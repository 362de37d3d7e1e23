/** Dark and light theme: the system's until the user chooses. */
import { type ReactElement, useEffect, useState } from "react";
import { Button } from "../components/button.tsx";
import { applyTheme, storedTheme, systemTheme, type Theme } from "./theme-choice.ts";
import { PREFERS_LIGHT, STORED_THEME } from "./theme-names.ts";

/** Notifies of theme changes: charts need their new colours. */
export function onThemeChange(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return () => observer.disconnect();
}

/** A colour of the current theme by its name in `theme.css`, e.g. `--buy`. */
export function themeColor(name: `--${string}`): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

export function ThemeSwitch(): ReactElement {
  const [theme, setTheme] = useState<Theme>(storedTheme() ?? systemTheme());
  useEffect(() => {
    const system = matchMedia(PREFERS_LIGHT);
    const follow = (): void => {
      if (storedTheme() !== null) return;
      applyTheme();
      setTheme(systemTheme());
    };
    system.addEventListener("change", follow);
    return () => system.removeEventListener("change", follow);
  }, []);
  const other = theme === "dark" ? "light" : "dark";
  const toggle = (): void => {
    localStorage.setItem(STORED_THEME, other);
    applyTheme();
    setTheme(other);
  };
  return (
    <Button tone="quiet" size="small" aria-label={`Switch to the ${other} theme`} onClick={toggle}>
      {theme === "dark" ? "☾" : "☀"}
    </Button>
  );
}
