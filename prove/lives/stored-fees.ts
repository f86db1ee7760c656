/** What is stored of all lives of a part: every fee comes again from its derivation, and no invoice waits for a review. */
import { billFeeFrom } from "@tallystick/core/invoicing";
import type pg from "pg";

type StoredFee = { organization_id: string; id: string; amount_cents: string; derivation: string };

/** What is wrong, each with the organization that it is of. */
export async function findWrongFees(pool: pg.Pool): Promise<{ organizationId: string; what: string; about: string }[]> {
  const fees = await pool.query<StoredFee>(
    `select organization_id, id, amount_cents, derivation::text as derivation from fees where fee_type not in ('add_on', 'credit')`,
  );
  const underived = fees.rows.filter(
    ({ amount_cents, derivation }) => billFeeFrom(JSON.parse(derivation)) !== BigInt(amount_cents),
  );
  const held = await pool.query<{ organization_id: string; invoice_id: string }>(
    "select organization_id, invoice_id from second_opinions where released_at is null",
  );
  return [
    ...underived.map((fee) => ({
      organizationId: fee.organization_id,
      what: "feeUnderived",
      about: JSON.stringify(fee),
    })),
    ...held.rows.map((one) => ({
      organizationId: one.organization_id,
      what: "invoiceHeld",
      about: `invoice ${one.invoice_id}: the second opinion differs`,
    })),
  ];
}
