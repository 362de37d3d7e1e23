/** Rings of bytes between threads: bounded, without locks, with wake-ups that are never lost. */

export { AnswerReader, AnswerSpace, AnswerWriter } from "./answers.ts";
export { Doorbell, fallAsleep, type Wake } from "./doorbell.ts";
export { MemoryLock } from "./memory-lock.ts";
export { RingReader, RingWriter } from "./ring.ts";
export { RingInbox } from "./ring-inbox.ts";
export {
  AtomicWords,
  createRingMemory,
  type RingMemory,
  recordSpace,
  type SharedWords,
} from "./ring-memory.ts";
