/** What must be true of all credits of a cluster, counted in SQL over what is stored. */
import { type Counts, countRow, type Records } from "../invoice-checks.ts";

/** What can be spent is never below zero: at no moment, in the order in which entries were written. */
const NEGATIVE = `
  with running as (
    select entry.organization_id, entry.account_id,
      sum(entry.amount_cents) over (
        partition by entry.organization_id, entry.account_kind, entry.account_id order by journal.number
      ) as balance
    from ledger_entries entry join prove.journal journal on journal.what = 'entry' and journal.id = entry.id
    where entry.account_kind in ('coupon', 'credit_note', 'wallet')
  )
  select count(*) as "balancesNegative" from running where balance < 0`;

const TWICE = `
  select
    (select coalesce(sum(times - 1), 0) from (
      select count(*) as times from ledger_entries
      group by organization_id, account_kind, account_id, source_kind, source_id
    ) as sources) as "entriesTwice",
    (select coalesce(sum(abs(times - settled)), 0) from (
      select (moved.status = 'settled')::integer as settled, (
        select count(*) from ledger_entries entry where entry.organization_id = moved.organization_id
          and entry.account_kind = 'wallet' and entry.account_id = moved.wallet_id and entry.source_id = moved.id
          and entry.amount_cents = moved.amount_cents
      ) as times
      from wallet_transactions moved where moved.transaction_status = 'purchased'
    ) as purchases) as "purchasesNotCreditedOnce",
    -- A purchase that is not paid ends with its wallet.
    (select count(*) from wallet_transactions bought
      join wallets wallet on wallet.organization_id = bought.organization_id and wallet.id = bought.wallet_id
      join invoices invoice on invoice.organization_id = bought.organization_id and invoice.id = bought.invoice_id
      where bought.transaction_status = 'purchased' and bought.status <> 'settled' and wallet.status = 'terminated'
        and invoice.status = 'finalized' and invoice.payment_status <> 'succeeded'
        and invoice.written_off_amount_cents = 0 and not exists (
          select from credit_notes note where note.organization_id = invoice.organization_id and note.invoice_id = invoice.id
        )) as "purchasesNotVoided"`;

const FIGURES = `
  select
    (select count(*) from ledger_entries) as entries,
    (select count(*) from invoices where invoice_type = 'subscription' and finalized_at is not null) as "invoicesFinalized",
    (select count(*) from invoices where status = 'voided') as "invoicesVoided",
    (select count(*) from wallet_transactions where transaction_status = 'granted' and voided_invoice_id is null) as grants,
    (select count(*) from wallet_transactions where transaction_status = 'purchased') as purchases,
    (select count(*) from wallet_transactions where transaction_status = 'purchased' and status = 'settled') as settled,
    (select count(*) from wallet_transactions where transaction_status = 'invoiced') as "walletUses",
    (select count(*) from wallet_transactions where transaction_status = 'voided') as "creditsVoided",
    (select count(*) from wallet_transactions where transaction_status = 'voided' and corrects_transaction_id is not null)
      as bounces,
    (select count(*) from wallet_transactions where transaction_status = 'purchased' and corrects_transaction_id is not null)
      as "paidAgain",
    (select count(*) from invoice_write_offs) as "writeOffs",
    (select count(*) from wallets) as wallets,
    (select count(*) from wallets where terminated_at = expiration_at) as "walletsExpired",
    (select count(*) from wallets where terminated_at is distinct from expiration_at and status = 'terminated')
      as "walletsTerminated",
    (select count(*) from credit_notes) as notes,
    (select count(*) from credit_notes where credit_status = 'voided') as "notesVoided",
    (select count(*) from applied_coupons) as coupons,
    (select count(*) from invoice_credits where kind = 'coupon') as "couponUses",
    (select count(*) from invoice_credits where kind = 'credit_note') as "noteUses"`;

export async function checkCredits(records: Records): Promise<{ broken: Counts; figures: Counts }> {
  const broken = { ...(await countRow(records, NEGATIVE)), ...(await countRow(records, TWICE)) };
  return { broken, figures: await countRow(records, FIGURES) };
}
