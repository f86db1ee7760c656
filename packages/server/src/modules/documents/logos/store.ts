/** All SQL on logos and on the logo columns of organizations. */
import { createHash } from "node:crypto";
import type { Tx } from "../../../platform/postgres/database.ts";

export type Logo = { image: Buffer; width: number; height: number };

export const findLogo = (tx: Tx, organizationId: string, digest: Buffer): Promise<Logo | undefined> =>
  tx
    .selectFrom("logos")
    .select(["image", "width", "height"])
    .where("organization_id", "=", organizationId)
    .where("digest", "=", digest)
    .executeTakeFirst();

/** Stores equal images once. Returns the digest. */
export async function insertLogo(
  tx: Tx,
  organizationId: string,
  { image, width, height }: Logo,
  at: Temporal.Instant,
): Promise<Buffer> {
  const digest = createHash("sha256").update(image).digest();
  await tx
    .insertInto("logos")
    .values({ organization_id: organizationId, digest, image, width, height, created_at: at })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  return digest;
}
