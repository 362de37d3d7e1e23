/** Reads the invite code from the start page's URL. */

/** As the operator API accepts it. */
const CODE = /^[A-Za-z0-9_-]{1,64}$/;

/** Null if there is none; "broken" if it is not a valid code. */
export type Invite = { readonly code: string } | "broken" | null;

/** `search` may begin with a question mark. */
export function inviteOf(search: string): Invite {
  const given = new URLSearchParams(search).getAll("invite");
  const [code] = given;
  if (code === undefined) return null;
  return given.length === 1 && CODE.test(code) ? { code } : "broken";
}
