/** Creates an organization with its defaults. */
import { defaultPrefix } from "@tallystick/core/invoicing";
import type { Clock } from "../../../platform/clock.ts";
import { newId } from "../../../platform/new-id.ts";
import { type Database, inOrganization, type Tx } from "../../../platform/postgres/database.ts";
import { insertOrganization } from "./store.ts";

export type OrganizationRequest = { name: string; isSandbox: boolean };

export async function createOrganization(db: Database, clock: Clock, request: OrganizationRequest): Promise<string> {
  const id = newId();
  await inOrganization(db, id, (tx) => addOrganization(tx, id, request, clock.now()));
  return id;
}

/** In a transaction that acts for the new organization, organization_id = id. */
export const addOrganization = (
  tx: Tx,
  id: string,
  { name, isSandbox }: OrganizationRequest,
  now: Temporal.Instant,
): Promise<void> =>
  insertOrganization(tx, {
    id,
    name,
    is_sandbox: isSandbox,
    default_currency: "USD",
    timezone: "UTC",
    document_number_prefix: defaultPrefix(name, id),
    created_at: now,
    updated_at: now,
  });
