/**
 * The role that a node's user needs, and nothing more: only the owner of the tables changes or
 * drops what the log has. Tables grow by partitions through a function that belongs to the owner.
 */
import type { PostgresConnection } from "./connection.ts";

export const WRITER_ROLE = "rialto_writer";

/** By table of the schema `rialto`. */
const RIGHTS: Readonly<Record<string, readonly string[]>> = {
  log: ["SELECT", "INSERT"],
  venue: ["SELECT"],
  lease: ["SELECT", "UPDATE"],
  node: ["SELECT", "INSERT", "UPDATE"],
  // Emptied and filled again with another master key.
  api_key: ["SELECT", "INSERT", "DELETE", "TRUNCATE"],
  master_key: ["SELECT", "UPDATE"],
  webhook: ["SELECT", "INSERT", "UPDATE", "DELETE"],
  webhook_delivery: ["SELECT", "INSERT", "DELETE"],
};
const MAKE_PARTITION = "rialto.make_partition(bigint)";

/** A function of the owner: whoever may write the log need not own it. */
export const PARTITIONS = `
CREATE FUNCTION ${MAKE_PARTITION} RETURNS void LANGUAGE plpgsql SECURITY DEFINER
  SET search_path = pg_catalog, pg_temp SET client_min_messages = error AS $$
DECLARE
  size bigint := (SELECT partition_rows FROM rialto.venue);
  number bigint := $1 / size;
BEGIN
  EXECUTE format('CREATE TABLE IF NOT EXISTS rialto.log_%s PARTITION OF rialto.log '
    'FOR VALUES FROM (%s) TO (%s)', number, number * size, (number + 1) * size);
END $$;
REVOKE ALL ON FUNCTION ${MAKE_PARTITION} FROM PUBLIC`;

const GRANTS = [
  `GRANT USAGE ON SCHEMA rialto TO ${WRITER_ROLE}`,
  ...Object.entries(RIGHTS).map(
    ([table, rights]) => `GRANT ${rights.join(", ")} ON rialto.${table} TO ${WRITER_ROLE}`,
  ),
  `GRANT EXECUTE ON FUNCTION ${MAKE_PARTITION} TO ${WRITER_ROLE}`,
].join("; ");

/** Makes the role and grants it its rights, where the user may; databases share their roles. */
export const GRANT_TO_WRITER = `
DO $$ BEGIN
  IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '${WRITER_ROLE}') THEN
    CREATE ROLE ${WRITER_ROLE} NOLOGIN;
  END IF;
EXCEPTION WHEN insufficient_privilege THEN NULL; END $$;
DO $$ BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = '${WRITER_ROLE}') THEN ${GRANTS}; END IF;
END $$;
DO $$ BEGIN
  SET LOCAL client_min_messages = error;
  GRANT pg_monitor TO ${WRITER_ROLE};
EXCEPTION WHEN insufficient_privilege OR undefined_object THEN NULL; END $$`;

const needed = Object.entries(RIGHTS).flatMap(([table, rights]) =>
  rights.map((right) => `('${table}', '${right}')`),
);

/** Which rights the user lacks; of a log that exists. Reads catalogs alone. */
const MISSING = `
SELECT current_user::text AS "user", ARRAY(
  SELECT 'USAGE on the schema rialto' WHERE NOT has_schema_privilege('rialto', 'USAGE')
  UNION ALL
  SELECT needs.what || ' on rialto.' || c.relname FROM (VALUES ${needed.join(", ")})
    AS needs (relation, what) JOIN pg_class c ON c.relname = needs.relation
    AND c.relnamespace = 'rialto'::regnamespace WHERE NOT has_table_privilege(c.oid, needs.what)
  UNION ALL
  SELECT 'EXECUTE on ${MAKE_PARTITION}' FROM pg_proc p WHERE p.proname = 'make_partition'
    AND p.pronamespace = 'rialto'::regnamespace AND NOT has_function_privilege(p.oid, 'EXECUTE')
) AS missing`;

/** Why its user cannot do what a node does; null when it can. */
export async function missingRights(
  connection: PostgresConnection,
  timeoutMs: number,
): Promise<string | null> {
  const { rows } = await connection.query<{
    readonly user: string;
    readonly missing: readonly string[];
  }>({ text: MISSING }, timeoutMs);
  const { missing, user } = rows[0] ?? { missing: [], user: "" };
  if (missing.length === 0) return null;
  return (
    `does not let its user ${user} do what a node does (${missing.join(", ")}): ` +
    `GRANT ${WRITER_ROLE} TO ${user}`
  );
}
