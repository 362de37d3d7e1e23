/** Proves that lists are merged as if all rows were sorted, and that little more is read. */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../test/support/random.ts";
import { distinct, newestOf, type Source } from "./newest-of.ts";

const random = seededRandom("newest of");

test("the newest rows of all sources are found as by sorting all of them", async () => {
  for (let round = 0; round < 500; round++) {
    const lists = randomLists();
    const limit = random.pick([1, 2, 7, 40, 1_000]);
    const offset = random.pick([0, 0, 1, 5, 60, 1_000]);
    const expected = lists
      .flat()
      .sort((left, right) => right - left)
      .slice(offset, offset + limit);
    const found = await newestOf(lists.map(sourceOf), Number, offset, limit);
    assert.deepEqual(found, expected);
  }
});

test("no list is read beyond the count, and only the rows asked for", async () => {
  for (let round = 0; round < 500; round++) {
    const lists = randomLists();
    const [offset, limit] = [random.integer(0, 40), random.integer(1, 20)];
    const count = offset + limit;
    let rows = 0;
    const sources = lists.map((list): Source<number> => {
      const source = sourceOf(list);
      let read = 0;
      return {
        ids(more, from) {
          assert.equal(from, read, "a list is read on where it was left");
          assert.ok(more > 0 && from + more <= count);
          read = from + more;
          return source.ids(more, from);
        },
        rows(more, from) {
          rows += more;
          return source.rows(more, from);
        },
      };
    });
    await newestOf(sources, Number, offset, limit);
    assert.ok(rows <= limit);
  }
});

test("lists of one pace are read once each", async () => {
  const lists = Array.from({ length: 100 }, (_, i) =>
    Array.from({ length: 50 }, (_, row) => 100 * (50 - row) + i),
  );
  let reads = 0;
  const sources = lists.map(sourceOf).map((source) => ({
    ...source,
    ids(limit: number, offset: number) {
      reads++;
      return source.ids(limit, offset);
    },
  }));
  assert.equal((await newestOf(sources, Number, 0, 100)).length, 100);
  assert.equal(reads, 100);
});

test("without sources there are no rows", async () => {
  assert.deepEqual(await newestOf([], Number, 0, 10), []);
});

test("distinct values take one look-up each", async () => {
  const values = ["ADA", "BTC", "BTC", "ETH", "ETH", "ETH"];
  let lookUps = 0;
  const found = await distinct(async (after) => {
    lookUps++;
    return values.find((value) => value > after);
  });
  assert.deepEqual(found, ["ADA", "BTC", "ETH"]);
  assert.equal(lookUps, 4);
});

/** Rows of up to 12 sources, newest first; ids differ, and some sources have few or none. */
function randomLists(): number[][] {
  const lists = Array.from({ length: random.integer(1, 12) }, (): number[] => []);
  const weights = lists.map(() => random.pick([0, 1, 1, 5, 40]));
  for (let id = random.integer(0, 400); id > 0; id--) {
    const i = random.integer(0, lists.length - 1);
    if (random.integer(0, 40) < (weights[i] ?? 0)) lists[i]?.push(id);
  }
  return lists;
}

function sourceOf(list: readonly number[]): Source<number> {
  const part = async (limit: number, offset: number) => list.slice(offset, offset + limit);
  return { ids: part, rows: part };
}
