/** The search: entries come when it is used first; arrows choose, Enter goes there. */
import { rank, type SearchEntry } from "./ranking.ts";

export function openSearch(): void {
  const input = document.querySelector<HTMLInputElement>("#search");
  const list = document.querySelector<HTMLElement>("#found");
  if (input === null || list === null) return;
  const search = new Search(input, list);
  input.closest<HTMLElement>("[hidden]")?.removeAttribute("hidden");
  input.addEventListener("focus", () => void search.load());
  input.addEventListener("input", () => void search.find());
  input.addEventListener("keydown", (event) => search.press(event));
  input.addEventListener("blur", () => search.close());
  // The list is gone before a click on it ends, unless the input keeps the focus.
  list.addEventListener("pointerdown", (event) => event.preventDefault());
  addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|TEXTAREA|SELECT)$/.test((event.target as Element).tagName);
    if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    input.focus();
  });
}

class Search {
  readonly #input: HTMLInputElement;
  readonly #list: HTMLElement;
  #entries: Promise<readonly SearchEntry[]> | null = null;
  #chosen = 0;

  constructor(input: HTMLInputElement, list: HTMLElement) {
    this.#input = input;
    this.#list = list;
  }

  async load(): Promise<readonly SearchEntry[]> {
    this.#entries ??= fetchEntries();
    try {
      return await this.#entries;
    } catch {
      // The next key tries again.
      this.#entries = null;
      return [];
    }
  }

  async find(): Promise<void> {
    const text = this.#input.value;
    const entries = await this.load();
    // A later key has its own turn.
    if (text === this.#input.value) this.#show(rank(entries, text), text);
  }

  press(event: KeyboardEvent): void {
    const options = this.#options();
    if (event.key === "Escape") this.close();
    if (options.length === 0) return;
    const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (move !== undefined) {
      event.preventDefault();
      this.#choose((this.#chosen + move + options.length) % options.length);
    }
    if (event.key === "Enter") {
      event.preventDefault();
      options[this.#chosen]?.click();
      this.close();
    }
  }

  close(): void {
    this.#show([], "");
  }

  #options(): HTMLElement[] {
    return [...this.#list.querySelectorAll<HTMLElement>("[role=option]")];
  }

  #show(found: readonly SearchEntry[], text: string): void {
    this.#list.replaceChildren(...found.map((entry, index) => option(entry, index)));
    const isEmpty = text.trim() !== "" && found.length === 0;
    if (isEmpty) this.#list.append(nothing());
    this.#list.hidden = found.length === 0 && !isEmpty;
    this.#input.setAttribute("aria-expanded", String(found.length > 0));
    this.#choose(0);
  }

  #choose(index: number): void {
    this.#chosen = index;
    const options = this.#options();
    for (const [at, link] of options.entries()) {
      link.setAttribute("aria-selected", String(at === index));
    }
    const chosen = options[index];
    chosen?.scrollIntoView({ block: "nearest" });
    if (chosen === undefined) this.#input.removeAttribute("aria-activedescendant");
    else this.#input.setAttribute("aria-activedescendant", chosen.id);
  }
}

async function fetchEntries(): Promise<readonly SearchEntry[]> {
  const answer = await fetch("/docs/search.json");
  if (!answer.ok) throw new Error(`status ${answer.status}`);
  return (await answer.json()) as readonly SearchEntry[];
}

function option({ title, place, url }: SearchEntry, index: number): HTMLElement {
  const link = document.createElement("a");
  link.id = `found-${index}`;
  link.href = url;
  link.tabIndex = -1;
  link.setAttribute("role", "option");
  const where = document.createElement("small");
  where.textContent = place;
  link.append(title, where);
  return link;
}

function nothing(): HTMLElement {
  const line = document.createElement("p");
  line.textContent = "Nothing found.";
  return line;
}
