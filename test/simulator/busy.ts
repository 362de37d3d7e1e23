/**
 * An engine and a history that are too busy for a moment: what they are asked then is refused, as
 * when a queue is full or the history is behind, and nothing of it has an effect. Whoever is told
 * of changes must hear of them all the same.
 */
import { Sequencer } from "../../src/app/sequencer.ts";
import { RequestReader, refuseAll } from "../../src/protocol/index.ts";
import { HistoryReader } from "../../src/queries/index.ts";
import type { Random } from "../support/random.ts";
import type { StreamMessage } from "../support/stream-client.ts";
import type { MachineLife } from "./machine-life.ts";

type Life = Pick<MachineLife, "isOver" | "time">;

interface Burst {
  /** In which it began: another one is not busy. */
  readonly life: Life;
  readonly random: Random;
  /** Of what is asked to be refused. */
  readonly share: number;
  left: number;
}

const REFUSED_MAX = 20;
/** After which a history says that it is behind. */
const BEHIND_MAX_MS = 2_000;

/** The last one. */
let burst: Burst | null = null;

/** Refuses some of what is asked until the work is done. */
export async function whileBusy<Value>(
  random: Random,
  life: Life,
  work: () => Promise<Value>,
): Promise<Value> {
  const share = random.pick([0.1, 0.3, 1]);
  const begun = { life, random, share, left: random.integer(1, REFUSED_MAX) };
  burst = begun;
  try {
    return await work();
  } finally {
    begun.left = 0;
  }
}

/** Of a stream, which refuses nothing so but in a seed in which the exchange is busy. */
export function isRefusedAsBusy({ msg }: StreamMessage): boolean {
  return burst !== null && String(msg).endsWith("the exchange is busy, try again");
}

/** The burst that refuses what is being asked; null when it is taken. */
function refusing(): Burst | null {
  if (burst === null || burst.left === 0 || burst.life.isOver) return null;
  if (!burst.random.chance(burst.share)) return null;
  burst.left--;
  return burst;
}

const submit = Sequencer.prototype.submit;
Sequencer.prototype.submit = function (bytes, answered) {
  const { left } = new RequestReader(bytes);
  if (left > 0 && refusing() !== null) answered(refuseAll(left, "overloaded"));
  else submit.call(this, bytes, answered);
};

const query = HistoryReader.prototype.query;
HistoryReader.prototype.query = async function (...asked) {
  const busy = refusing();
  if (busy === null) return await Reflect.apply(query, this, asked);
  const waitMs = busy.random.integer(0, BEHIND_MAX_MS);
  await new Promise<void>((resolve) => {
    busy.life.time.after(waitMs, resolve);
  });
  return { unavailable: "history-behind" };
};
