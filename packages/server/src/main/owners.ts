/** Who gets emails about what waits for an operator: the owners, or the address of an organization that has none. */
import { findOrganization, listMembers } from "../modules/accounts/index.ts";
import type { OwnersOf } from "../modules/documents/index.ts";
import { alone } from "../platform/postgres/batch.ts";

export const ownersOf: OwnersOf = async (tx, organizationId) => {
  const owners = (await listMembers(tx, organizationId)).filter((member) => member.built_in_role === "owner");
  if (owners.length > 0) return owners.map(({ email }) => ({ email }));
  const { email } = await findOrganization(alone(tx), organizationId);
  return email === null ? [] : [{ email }];
};
