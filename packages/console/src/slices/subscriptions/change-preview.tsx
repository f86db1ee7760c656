/** What a change would bill, by the code that will bill it: seen before the change, and true after it. */
import { Skeleton } from "@mantine/core";
import type { SubscriptionChangePreview, SubscriptionToPreview } from "@tallystick/client";
import { queryOptions, useQuery } from "@tanstack/react-query";
import { apiOf } from "../../api/client.ts";
import { Problem } from "../../api/problem.tsx";
import { showDay, showInstantDay } from "../../format/instants.ts";
import { Figure } from "../../ui/figure.tsx";
import classes from "./change-preview.module.css";
import { PredictedInvoice } from "./predicted-invoice.tsx";

export type Change = {
  change: "create" | "plan" | "update" | "end";
  subscription: SubscriptionToPreview;
  status?: "pending";
};

/** Never kept: usage goes on, and with it what the change would bill. */
export const changePreviewQuery = (organization: string, change: Change) =>
  queryOptions({
    queryKey: ["subscriptions", organization, "preview", change],
    queryFn: () => apiOf(organization).subscriptions.preview(change),
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });

export function ChangePreview({ organization, change }: { organization: string; change: Change }) {
  const { data, error } = useQuery(changePreviewQuery(organization, change));
  if (error) return <Problem error={error} />;
  if (!data) return <Skeleton height={180} radius={2} aria-label="Computing what the change would bill" />;
  return <Preview preview={data} />;
}

function Preview({ preview }: { preview: SubscriptionChangePreview }) {
  const { now, next_invoice_before: before, next_invoice_after: after } = preview;
  const isNothing = now.invoices.length === 0 && now.credit_notes.length === 0;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keys
    <section className={classes.preview} aria-label="What the change bills" tabIndex={0}>
      <p>Takes effect on {showInstantDay(preview.takes_effect_at)}.</p>
      <h3>Now</h3>
      {isNothing && <p className={classes.weak}>Nothing is billed or given back now.</p>}
      {now.invoices.map((invoice, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: documents that do not exist yet have no id, and do not move
        <PredictedInvoice key={index} invoice={invoice} />
      ))}
      {now.credit_notes.map((note, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: documents that do not exist yet have no id, and do not move
        <p key={index} className={classes.note}>
          <span>Credit note</span> <Figure minor={-note.total_amount_cents} currency={note.currency} size="total" />
        </p>
      ))}
      <h3>Next invoice</h3>
      <dl className={classes.next}>
        <NextInvoice title="Without the change" invoice={before} />
        <NextInvoice title="With it" invoice={after} />
      </dl>
    </section>
  );
}

type Next = { issuing_date: string; total_amount_cents: number; currency: string } | null;

function NextInvoice({ title, invoice }: { title: string; invoice: Next }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>
        {invoice ? (
          <>
            <Figure minor={invoice.total_amount_cents} currency={invoice.currency} size="total" />
            <span className={classes.weak}> on {showDay(invoice.issuing_date)}</span>
          </>
        ) : (
          "none"
        )}
      </dd>
    </div>
  );
}
