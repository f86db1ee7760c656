/** Creates an organization with its defaults. */
import { defaultPrefix } from "@tallystick/core/invoicing";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { type Database, inOrganization } from "../../../platform/postgres/database.ts";
import { insertOrganization } from "./store.ts";

export type OrganizationRequest = { name: string; isSandbox: boolean };

export async function createOrganization(
  db: Database,
  clock: Clock,
  { name, isSandbox }: OrganizationRequest,
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
