/**
 * The parts of a document that the painters of the console need, with a count of every write to the
 * page, because a painter should make few of them.
 */

type Listener = (event: { readonly target: PageElement }) => void;

export class PageDocument {
  /** Texts, attributes and places of elements that were written. */
  writes = 0;
  /** Elements that were made. */
  made = 0;

  createElement(tagName: string): PageElement {
    this.made++;
    return new PageElement(this, tagName);
  }

  createTextNode(text: string): PageText {
    return new PageText(this, text);
  }

  /** The writes that an action costs. */
  costOf(action: () => void): number {
    const before = this.writes;
    action();
    return this.writes - before;
  }
}

class PageText {
  readonly #page: PageDocument;
  #data: string;

  constructor(page: PageDocument, data: string) {
    this.#page = page;
    this.#data = data;
  }

  get data(): string {
    return this.#data;
  }

  set data(data: string) {
    this.#page.writes++;
    this.#data = data;
  }
}

type PageNode = PageElement | PageText;

export class PageElement {
  readonly ownerDocument: PageDocument;
  readonly tagName: string;
  readonly dataset: Record<string, string> = {};
  readonly style: { transform: string };
  tabIndex = 0;
  type = "";
  title = "";
  offsetHeight = 20;
  parent: PageElement | null = null;
  readonly #attributes = new Map<string, string>();
  readonly #listeners = new Map<string, Set<Listener>>();
  #nodes: PageNode[] = [];

  constructor(page: PageDocument, tagName: string) {
    this.ownerDocument = page;
    this.tagName = tagName;
    let transform = "";
    this.style = {
      get transform() {
        return transform;
      },
      set transform(text) {
        page.writes++;
        transform = text;
      },
    };
  }

  get children(): readonly PageElement[] {
    return this.#nodes.filter((node) => node instanceof PageElement);
  }

  get textContent(): string {
    const textOf = (node: PageNode): string =>
      node instanceof PageText ? node.data : node.textContent;
    return this.#nodes.map(textOf).join("");
  }

  set textContent(text: string) {
    this.replaceChildren(this.ownerDocument.createTextNode(text));
  }

  getAttribute(name: string): string | null {
    return this.#attributes.get(name) ?? null;
  }

  setAttribute(name: string, value: string): void {
    this.ownerDocument.writes++;
    this.#attributes.set(name, value);
  }

  removeAttribute(name: string): void {
    this.ownerDocument.writes++;
    this.#attributes.delete(name);
  }

  append(...nodes: PageNode[]): void {
    this.#place(nodes, (others) => [...others, ...nodes]);
  }

  prepend(...nodes: PageNode[]): void {
    this.#place(nodes, (others) => [...nodes, ...others]);
  }

  replaceChildren(...nodes: PageNode[]): void {
    this.#place(nodes, () => nodes);
  }

  remove(): void {
    this.ownerDocument.writes++;
    this.parent?.forget(this);
    this.parent = null;
  }

  forget(node: PageNode): void {
    this.#nodes = this.#nodes.filter((other) => other !== node);
  }

  /** Of the selectors that painters use: a role. */
  closest(selector: string): PageElement | null {
    const role = /^\[role="(\w+)"\]$/.exec(selector)?.[1];
    if (role === undefined) throw new Error(`this page does not know ${selector}`);
    return this.getAttribute("role") === role ? this : (this.parent?.closest(selector) ?? null);
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Goes up to the listeners of all that it stands in. */
  click(target: PageElement = this): void {
    for (const listener of this.#listeners.get("click") ?? []) listener({ target });
    this.parent?.click(target);
  }

  /** Everything below with that `data-part`, in the order of the page. */
  parts(part: string): readonly PageElement[] {
    return this.children.flatMap((child) => [
      ...(child.dataset.part === part ? [child] : []),
      ...child.parts(part),
    ]);
  }

  #place(nodes: readonly PageNode[], placed: (others: PageNode[]) => PageNode[]): void {
    this.ownerDocument.writes += nodes.length;
    for (const node of nodes) {
      if (!(node instanceof PageElement)) continue;
      node.parent?.forget(node);
      node.parent = this;
    }
    this.#nodes = placed(this.#nodes.filter((node) => !nodes.includes(node)));
  }
}
