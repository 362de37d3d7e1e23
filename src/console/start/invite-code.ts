/** The invite code that the address of the start page carries, if it is one. */

/** As the operator plane takes it when it registers a user. */
const CODE = /^[A-Za-z0-9_-]{1,64}$/;

/** Null where the address has none; "broken" where what it has is none. */
export type Invite = { readonly code: string } | "broken" | null;

/** `search` is that of an address, with its question mark or without. */
export function inviteOf(search: string): Invite {
  const given = new URLSearchParams(search).getAll("invite");
  const [code] = given;
  if (code === undefined) return null;
  return given.length === 1 && CODE.test(code) ? { code } : "broken";
}
