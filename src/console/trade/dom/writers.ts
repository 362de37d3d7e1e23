/** Writes an element's text only when it changes. */
export class TextWriter {
  readonly #node: Text;
  #text = "";

  /** Replaces the element's content. */
  constructor(element: Element) {
    this.#node = element.ownerDocument.createTextNode("");
    element.replaceChildren(this.#node);
  }

  write(text: string): void {
    if (text === this.#text) return;
    this.#text = text;
    this.#node.data = text;
  }
}

/** Writes an attribute only when it changes; null removes it. */
export class AttributeWriter {
  readonly #element: Element;
  readonly #name: string;
  #value: string | null = null;

  constructor(element: Element, name: string) {
    this.#element = element;
    this.#name = name;
  }

  write(value: string | null): void {
    if (value === this.#value) return;
    this.#value = value;
    if (value === null) this.#element.removeAttribute(this.#name);
    else this.#element.setAttribute(this.#name, value);
  }
}
