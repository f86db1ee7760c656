/** Who gets emails about what waits for an operator: the address of the organization, if it has one. */
import { findOrganization } from "../modules/accounts/index.ts";
import type { OwnersOf } from "../modules/documents/index.ts";
import { alone } from "../platform/postgres/batch.ts";

export const ownersOf: OwnersOf = async (tx, organizationId) => {
  const { email } = await findOrganization(alone(tx), organizationId);
  return email === null ? [] : [{ email }];
};
