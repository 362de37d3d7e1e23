/**
 * Finds the end and the status of HTTP answers in the bytes of a socket, at a cost that leaves the
 * processor to the server: no text is made, and an answer with a head like the one before is
 * recognised by comparing a few bytes.
 */

const [COLON, SPACE, CR, LF, ZERO, NINE] = [0x3a, 0x20, 0x0d, 0x0a, 0x30, 0x39];
const STATUS_AT = 9;
const END_OF_HEAD = "\r\n\r\n";

/** For the answers of one server. */
export class AnswerScanner {
  /** Of the last answer: the length of its head, and where its Content-Length has its digits. */
  #headBytes = 0;
  #digitsAt = 0;
  #status = 0;
  #bytes = 0;

  get status(): number {
    return this.#status;
  }

  /** Length of the last whole answer. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether the first `length` bytes begin with a whole answer. */
  scan(bytes: Buffer, length: number): boolean {
    if (!this.#isLikeLast(bytes, length) && !this.#readHead(bytes, length)) return false;
    this.#bytes = this.#headBytes + decimalAt(bytes, this.#digitsAt);
    if (length < this.#bytes) return false;
    this.#status = decimalAt(bytes, STATUS_AT);
    return true;
  }

  #isLikeLast(bytes: Buffer, length: number): boolean {
    const head = this.#headBytes;
    const digits = this.#digitsAt;
    return (
      head > 0 &&
      length >= head &&
      bytes[head - 1] === LF &&
      bytes[head - 2] === CR &&
      bytes[head - 3] === LF &&
      bytes[head - 4] === CR &&
      bytes[digits - 1] === SPACE &&
      bytes[digits - 2] === COLON &&
      bytes[digits - 3] === 0x68 &&
      bytes[digits - 4] === 0x74 &&
      bytes[digits - 5] === 0x67
    );
  }

  #readHead(bytes: Buffer, length: number): boolean {
    this.#headBytes = 0;
    const end = bytes.subarray(0, length).indexOf(END_OF_HEAD);
    if (end === -1) return false;
    const head = bytes.toString("latin1", 0, end);
    const field = /\r\ncontent-length: /i.exec(head);
    if (field === null) throw new Error(`an answer without Content-Length: ${head}`);
    this.#headBytes = end + END_OF_HEAD.length;
    this.#digitsAt = field.index + field[0].length;
    return true;
  }
}

function decimalAt(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start; ; at++) {
    const byte = bytes[at] as number;
    if (!(byte >= ZERO && byte <= NINE)) return value;
    value = value * 10 + byte - ZERO;
  }
}
