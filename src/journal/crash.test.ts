/**
 * Proves that no crash loses an acknowledged batch: the machine stops at every call that the
 * journal makes, as a killed process and as a power cut that keeps, drops or tears what was not
 * synced. Batches that were not acknowledged are there whole or not at all. It opens without a
 * person. Also when the machine stops again while it recovers.
 */
import assert from "node:assert/strict";
import test from "node:test";
import {
  checkReopening,
  openJournal,
  runSession,
  untilStopped,
} from "../../test/support/journal-session.ts";
import { Random, scaled, seededRandom } from "../../test/support/random.ts";
import {
  type FaultPlan,
  FaultyFileSystem,
  type PowerCut,
} from "../../test/support/simulated-disk.ts";

const random = seededRandom("journal crashes");

function stopAt(index: number): FaultPlan {
  return (_operation, call) => (call === index ? { kind: "stop" } : null);
}

test("a session without a crash is whole, and repeatable", async () => {
  const seed = random.integer(0, 1e9);
  const [first, second] = [await runSession(seed), await runSession(seed)];
  assert.equal(first.calls, second.calls);
  assert.ok(first.sent.every(({ result }) => result === "durable"));
  await checkReopening(first.disk.afterPowerCut("drops-all", random), first.sent, false);
});

test("killed at any call: every acknowledged batch is there, and it opens by itself", async () => {
  for (let round = 0; round < scaled(2); round++) {
    const seed = random.integer(0, 1e9);
    const { calls } = await runSession(seed);
    for (let index = 0; index < calls; index++) {
      const { disk, sent, stopped } = await runSession(seed, stopAt(index));
      assert.ok(stopped);
      await checkReopening(disk.afterKill(), sent, false);
    }
  }
});

for (const cut of ["drops-all", "keeps-all", "tears"] as const satisfies PowerCut[]) {
  test(`power cut at any call that ${cut}: every acknowledged batch is there`, async () => {
    const doubts: string[] = [];
    for (let round = 0; round < scaled(2); round++) {
      const seed = random.integer(0, 1e9);
      const { calls } = await runSession(seed);
      for (let index = 0; index < calls; index++) {
        const { disk, sent } = await runSession(seed, stopAt(index));
        for (let fate = 0; fate < (cut === "tears" ? 3 : 1); fate++) {
          const left = disk.afterPowerCut(cut, random);
          const { doubt } = await checkReopening(left, sent, true);
          if (doubt !== null) doubts.push(doubt);
        }
      }
    }
    // The machine stopped inside the write of the ring's slot: no sector tears so, memory may.
    const other = doubts.filter((doubt) => !/header\.ring, .*, is damaged$/.test(doubt));
    assert.deepEqual(other, [], "it opens by itself");
    if (cut !== "tears") assert.deepEqual(doubts, []);
  });
}

test("the machine stops again at any call of the recovery", async () => {
  const seed = random.integer(0, 1e9);
  const { calls } = await runSession(seed);
  for (let round = 0; round < scaled(25); round++) {
    const first = await runSession(seed, stopAt(random.integer(0, calls - 1)));
    const isPowerCut = random.chance(0.5);
    const crashed = isPowerCut ? first.disk.afterPowerCut("tears", random) : first.disk.afterKill();
    for (let index = 0, stopped = true; stopped; index++) {
      const disk = crashed.fork();
      const machine = new FaultyFileSystem(disk, stopAt(index), new Random(seed));
      await untilStopped(machine, recover(machine));
      stopped = machine.stopped;
      const again = random.chance(0.5) ? disk.afterPowerCut("tears", random) : disk.afterKill();
      await checkReopening(again, first.sent, isPowerCut);
    }
  }
});

async function recover(machine: FaultyFileSystem): Promise<void> {
  const opening = await openJournal(machine);
  if (opening.ok) await opening.journal.close();
}
