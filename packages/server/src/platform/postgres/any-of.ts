/** Compares with a list of ids as one parameter, however many there are: `where("id", "=", anyOf(ids))`. */
import { type RawBuilder, sql } from "kysely";

export const anyOf = (ids: readonly string[]): RawBuilder<string> => sql<string>`any(${ids}::uuid[])`;
