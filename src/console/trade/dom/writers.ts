/** Text that is drawn without React: the page is written to only when it says something else. */
export class TextWriter {
  readonly #node: Text;
  #text = "";

  /** Takes the element's content over. */
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

/** An attribute that is written only when it has another value; null takes it away. */
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
