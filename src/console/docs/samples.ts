/** Samples: one language at a time, the same in all samples and on all pages; and copying. */

const STORED = "rialto.docs.language";
const LOCAL = "http://127.0.0.1:8080";
const COPIED_MS = 1_500;

export function openSamples(): void {
  const samples = [...document.querySelectorAll<HTMLElement>(".samples")];
  for (const sample of samples) {
    nameExchange(sample);
    for (const tab of tabsOf(sample)) {
      tab.addEventListener("click", () => choose(samples, tab.dataset.language ?? "", sample));
      tab.addEventListener("keydown", (event) => step(event, sample));
    }
    openCopy(sample);
  }
  show(samples, localStorage.getItem(STORED) ?? "curl");
}

/** Programs run as they stand against the exchange that shows them. */
function nameExchange(sample: HTMLElement): void {
  if (location.origin === LOCAL) return;
  for (const code of sample.querySelectorAll("code")) {
    code.textContent = (code.textContent ?? "").replaceAll(LOCAL, location.origin);
  }
}

function tabsOf(sample: HTMLElement): HTMLElement[] {
  return [...sample.querySelectorAll<HTMLElement>("[role=tab]")];
}

/** What was under the pointer stays there, although samples above change their height. */
function choose(samples: readonly HTMLElement[], language: string, at: HTMLElement): void {
  const before = at.getBoundingClientRect().top;
  localStorage.setItem(STORED, language);
  show(samples, language);
  scrollBy(0, at.getBoundingClientRect().top - before);
}

function show(samples: readonly HTMLElement[], language: string): void {
  for (const sample of samples) {
    const tabs = tabsOf(sample);
    const shown = tabs.find((tab) => tab.dataset.language === language) ?? tabs[0];
    for (const tab of tabs) {
      tab.setAttribute("aria-selected", String(tab === shown));
      tab.tabIndex = tab === shown ? 0 : -1;
    }
    for (const panel of sample.querySelectorAll<HTMLElement>("[role=tabpanel]")) {
      panel.hidden = panel.dataset.language !== shown?.dataset.language;
    }
  }
}

function step(event: KeyboardEvent, sample: HTMLElement): void {
  const move = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (move === undefined) return;
  const tabs = tabsOf(sample);
  const at = tabs.indexOf(event.currentTarget as HTMLElement);
  const next = tabs[(at + move + tabs.length) % tabs.length];
  next?.click();
  next?.focus();
}

function openCopy(sample: HTMLElement): void {
  const button = sample.querySelector<HTMLButtonElement>(".copy");
  if (button === null || !("clipboard" in navigator)) return;
  button.hidden = false;
  button.addEventListener("click", async () => {
    const panel = sample.querySelector("[role=tabpanel]:not([hidden])");
    await navigator.clipboard.writeText(panel?.textContent ?? "").then(
      () => say(button, "Copied"),
      () => say(button, "Not allowed"),
    );
  });
}

function say(button: HTMLButtonElement, text: string): void {
  button.textContent = text;
  setTimeout(() => {
    button.textContent = "Copy";
  }, COPIED_MS);
}
