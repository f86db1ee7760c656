/** Makes an organization with its defaults. */

import type { Clock } from "../../platform/clock.ts";
import { newId } from "../../platform/new-id.ts";
import { type Database, inOrganization } from "../../platform/postgres/database.ts";
import { insertOrganization } from "./store.ts";

export type OrganizationWish = { name: string; isSandbox: boolean };

export async function createOrganization(
  db: Database,
  clock: Clock,
  { name, isSandbox }: OrganizationWish,
): Promise<string> {
  const id = newId();
  const now = clock.now();
  await inOrganization(db, id, (tx) =>
    insertOrganization(tx, {
      id,
      name,
      is_sandbox: isSandbox,
      default_currency: "USD",
      timezone: "UTC",
      document_number_prefix: defaultPrefix(name, id),
      created_at: now,
      updated_at: now,
    }),
  );
  return id;
}

/** "Acme Inc" with an id ending in 1a2b gives ACM-1A2B. */
function defaultPrefix(name: string, id: string): string {
  const letters = name
    .normalize("NFD")
    .replace(/[^A-Za-z0-9]/g, "")
    .slice(0, 3);
  return `${letters || "ORG"}-${id.slice(-4)}`.toUpperCase();
}
