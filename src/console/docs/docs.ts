/**
 * The script of the reference. Its pages are made ahead and can be read without it; it switches
 * theme and language, copies, searches, and sends calls where the exchange gives it demo keys.
 */
import { applyTheme, storedTheme } from "../shell/theme-choice.ts";
import { PREFERS_LIGHT, STORED_THEME } from "../shell/theme-names.ts";
import { openSamples } from "./samples.ts";
import { openSearch } from "./search.ts";
import { openTrials } from "./trial.ts";

openTheme();
openSamples();
openSearch();
showCurrent();
void openTrials();

function openTheme(): void {
  const button = document.querySelector<HTMLButtonElement>("#theme");
  const show = (): void => {
    applyTheme();
    const isDark = document.documentElement.dataset.theme === "dark";
    if (button === null) return;
    button.textContent = isDark ? "☾" : "☀";
    button.setAttribute("aria-label", `Switch to the ${isDark ? "light" : "dark"} theme`);
    button.hidden = false;
  };
  button?.addEventListener("click", () => {
    const isDark = document.documentElement.dataset.theme === "dark";
    localStorage.setItem(STORED_THEME, isDark ? "light" : "dark");
    show();
  });
  matchMedia(PREFERS_LIGHT).addEventListener("change", () => {
    if (storedTheme() === null) show();
  });
  show();
}

/** The list at the side shows the open page without scrolling the document. */
function showCurrent(): void {
  const list = document.querySelector<HTMLElement>("#contents");
  const current = list?.querySelector<HTMLElement>("[aria-current]");
  if (!list || !current) return;
  list.scrollTop = current.offsetTop - list.clientHeight / 3;
}
