/** Proves that every affiliate stands once, below its parent and before its siblings' subtrees. */
import assert from "node:assert/strict";
import test from "node:test";
import { seededRandom } from "../../../../test/support/random.ts";
import { type TreeMember, treeRows } from "./affiliate-tree.ts";

const random = seededRandom("console-affiliate-tree");

function shape(members: readonly TreeMember[]): string[] {
  return treeRows(members).map(
    ({ member, depth, descendants }) => `${" ".repeat(depth)}${member.uid}/${descendants}`,
  );
}

test("children stand below their parent, siblings by uid", () => {
  const members = [
    { uid: 3003, parentUid: 3002 },
    { uid: 3009, parentUid: null },
    { uid: 3004, parentUid: 3001 },
    { uid: 3001, parentUid: null },
    { uid: 3002, parentUid: 3001 },
  ];
  assert.deepEqual(shape(members), ["3001/3", " 3002/1", "  3003/0", " 3004/0", "3009/0"]);
});

test("an unknown parent makes a root, a circle is not followed", () => {
  assert.deepEqual(shape([{ uid: 5, parentUid: 99 }]), ["5/0"]);
  const circle = [
    { uid: 1, parentUid: 2 },
    { uid: 2, parentUid: 1 },
  ];
  assert.deepEqual(shape(circle), ["1/1", " 2/0"]);
  assert.deepEqual(shape([]), []);
});

test("in any tree everybody stands once, one deeper than the nearest above, the parent", () => {
  for (let round = 0; round < 100; round++) {
    const members = Array.from({ length: random.integer(1, 40) }, (_, i) => ({
      uid: i + 1,
      parentUid: i === 0 || random.chance(0.2) ? null : random.integer(1, i),
    }));
    const rows = treeRows(random.shuffle([...members]));
    assert.equal(new Set(rows.map(({ member }) => member.uid)).size, members.length);
    for (const [i, { member, depth }] of rows.entries()) {
      const above = rows.slice(0, i).findLast((row) => row.depth === depth - 1);
      assert.equal(depth === 0 ? null : above?.member.uid, member.parentUid);
    }
  }
});
