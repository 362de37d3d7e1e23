/**
 * The file of the operator's token is replaced, rewritten, removed, damaged, and given modes with
 * which others may read it, while the exchange runs: what is in force is the token that the file
 * held when it could last be used. A mode that is put right is enough, without another file.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { Random } from "../../support/random.ts";
import { hold } from "../breach.ts";
import type { Scene, Stage } from "./stage.ts";

const FILE = "operator.token";
const ACTS = { least: 6, most: 14 };
const OWN_MODES = [0o600, 0o600, 0o600, 0o400, 0o700] as const;
const OTHERS_MODES = [0o644, 0o640, 0o604, 0o620, 0o602, 0o601, 0o660, 0o666] as const;
const LENGTHS = { least: 24, most: 256 };
/** A wrong token may be tried again. */
const WRONG_EACH_MS = 6_001;
const LONG_BYTES = 17_000;
const CHECK = "the token in force is that of the file when it could last be used";

export const tokenFiles: Scene = async (stage) => {
  const { exchange, random } = stage;
  const file = new TokenFile(join(exchange.dataFolder, FILE), random);
  const opened = file.usable ?? "";
  try {
    for (let acts = random.integer(ACTS.least, ACTS.most); acts > 0; acts--) {
      file.change();
      // Several changes may come between two requests.
      if (random.chance(0.7)) await check(stage, file);
    }
  } finally {
    file.replace(`${opened}\n`, 0o600);
  }
  await check(stage, file);
  await stage.look();
};

/** The old one and the new one, and what the file holds. */
async function check(stage: Stage, file: TokenFile): Promise<void> {
  const { before, inForce } = file.ask();
  const others = new Set([before, file.held].filter((one) => one !== inForce && one !== ""));
  const right = await statusOf(stage, inForce);
  const detail = () => `${right} ${file.told.join(", ")}`;
  hold(right === 200, CHECK, detail);
  for (const token of others) {
    await stage.pass(WRONG_EACH_MS);
    const status = await statusOf(stage, token);
    hold(status === 401, CHECK, () => `${detail()}: another one ${status}`);
  }
}

async function statusOf(stage: Stage, token: string): Promise<number | undefined> {
  const { exchange } = stage;
  const headers = { Authorization: `Bearer ${token}` };
  const request = { method: "GET", path: "/operator/v1/caller", headers };
  return (await stage.do(exchange.send("operator", request)))?.status;
}

class TokenFile {
  readonly told: string[] = [];
  readonly #path: string;
  readonly #random: Random;
  #inForce: string;

  constructor(path: string, random: Random) {
    this.#path = path;
    this.#random = random;
    this.#inForce = this.usable ?? "";
  }

  /** What is in force from the next request on, and what was until then. */
  ask(): { readonly before: string; readonly inForce: string } {
    const before = this.#inForce;
    this.#inForce = this.usable ?? before;
    return { before, inForce: this.#inForce };
  }

  /** What it holds that looks like a token, whoever may read it. */
  get held(): string {
    const text = this.#isFile ? readFileSync(this.#path, "utf8").trim() : "";
    return /^[\w.~+/=-]{1,256}$/.test(text) ? text : "";
  }

  /** The token in it, if it can be used. */
  get usable(): string | null {
    if (!this.#isFile) return null;
    const { mode, size } = statSync(this.#path);
    const isPrivate = (mode & 0o077) === 0 && size < LONG_BYTES;
    const { held } = this;
    return isPrivate && held.length >= LENGTHS.least ? held : null;
  }

  get #isFile(): boolean {
    return existsSync(this.#path) && statSync(this.#path).isFile();
  }

  change(): void {
    const random = this.#random;
    const mode = this.#isFile ? statSync(this.#path).mode : 0;
    const isLoose = (mode & 0o077) !== 0;
    const mayWrite = (mode & 0o200) !== 0;
    const kind = random.pick(["replace", "replace", "mode", "mode", "gone", "write", "damage"]);
    if (isLoose && random.chance(0.6)) this.#chmod(random.pick([...OWN_MODES]));
    else if (kind === "gone" && this.#isFile) this.#remove();
    else if (kind === "mode" && this.#isFile) this.#chmod(this.#mode());
    else if (kind === "write" && mayWrite) this.#rewrite(this.#text());
    else if (kind === "damage" && mayWrite) this.#damage();
    else this.replace(this.#text(), this.#mode());
  }

  /** A folder may stand where it was. */
  #remove(): void {
    rmSync(this.#path);
    const isFolder = this.#random.chance(0.3);
    if (isFolder) mkdirSync(this.#path, { mode: this.#mode() });
    this.told.push(isFolder ? "a folder" : "gone");
  }

  /** Another file in its place. */
  replace(text: string, mode: number): void {
    const { told } = this;
    if (!this.#isFile) rmSync(this.#path, { recursive: true, force: true });
    const other = `${this.#path}.other`;
    writeFileSync(other, text, { mode: 0o600 });
    chmodSync(other, mode);
    renameSync(other, this.#path);
    told.push(`replaced ${mode.toString(8)}`);
  }

  #text(): string {
    const random = this.#random;
    const length = random.pick([LENGTHS.least, 64, LENGTHS.most]);
    const digits = random.hex(length);
    return random.pick([`${digits}\n`, digits, ` ${digits}\r\n\n`]);
  }

  #mode(): number {
    const random = this.#random;
    return random.pick([...(random.chance(0.5) ? OTHERS_MODES : OWN_MODES)]);
  }

  #chmod(mode: number): void {
    this.#untilNewer(() => chmodSync(this.#path, mode));
    this.told.push(`mode ${mode.toString(8)}`);
  }

  #rewrite(text: string): void {
    this.#untilNewer(() => writeFileSync(this.#path, text));
    this.told.push("rewritten");
  }

  #damage(): void {
    const random = this.#random;
    const kind = random.pick(["empty", "short", "strange", "two", "long", "cut"] as const);
    const token = this.#text().trim();
    if (kind === "cut") this.#untilNewer(() => truncateSync(this.#path, LENGTHS.least - 1));
    else {
      const [empty, short] = ["", token.slice(0, LENGTHS.least - 1)];
      const two = `${token}\n${token}`;
      const texts = { empty, short, strange: `${token}!`, two, long: "0".repeat(LONG_BYTES) };
      this.#rewrite(texts[kind]);
    }
    this.told.push(kind);
  }

  /** Times of files may be as coarse as some milliseconds. */
  #untilNewer(work: () => void): void {
    const changed = () => statSync(this.#path, { bigint: true }).ctimeNs;
    const before = changed();
    do work();
    while (changed() === before);
  }
}
