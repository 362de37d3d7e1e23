/** The affiliate tree as rows: each below its parent, with its depth. */

export interface TreeMember {
  readonly uid: number;
  readonly parentUid: number | null;
}

export interface TreeRow<Member extends TreeMember> {
  readonly member: Member;
  /** 0 at a root. */
  readonly depth: number;
  /** All descendants, at any depth. */
  readonly descendants: number;
}

/**
 * Depth first, siblings by uid. Affiliates whose parent is not in the list become roots. So do
 * affiliates in a cycle, which the exchange never creates; they come last.
 */
export function treeRows<Member extends TreeMember>(members: readonly Member[]): TreeRow<Member>[] {
  const known = new Set(members.map(({ uid }) => uid));
  const byParent = Map.groupBy(
    members.toSorted((one, other) => one.uid - other.uid),
    ({ parentUid }) => (parentUid !== null && known.has(parentUid) ? parentUid : null),
  );
  const rows: { member: Member; depth: number; descendants: number }[] = [];
  const placed = new Set<number>();
  const place = (member: Member, depth: number): void => {
    if (placed.has(member.uid)) return;
    placed.add(member.uid);
    const row = { member, depth, descendants: 0 };
    rows.push(row);
    const before = rows.length;
    for (const child of byParent.get(member.uid) ?? []) place(child, depth + 1);
    row.descendants = rows.length - before;
  };
  for (const root of byParent.get(null) ?? []) place(root, 0);
  for (const left of members) place(left, 0);
  return rows;
}
