/** A fee, read from the invoice down to the events: each notch is a step, and each step adds up. */
import { Button, CloseButton, Skeleton } from "@mantine/core";
import type { Fee, FeeExplanation } from "@tallystick/client";
import { currency as currencyOf, type Exact, inMajorUnits, minor, readExact, roundTo } from "@tallystick/core/money";
import { type AmountPart, amountParts } from "@tallystick/core/rating";
import { useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";
import { Problem } from "../../api/problem.tsx";
import { partSum, partTitle } from "../../format/amount-parts.ts";
import { showDay } from "../../format/instants.ts";
import { exactMoney, majorOf, money, quantity } from "../../format/money.ts";
import classes from "./explain-fee.module.css";
import { basisTitle } from "./explanation-words.ts";
import { FeeEvents } from "./fee-events.tsx";
import { explanationQuery } from "./queries.ts";

type Props = { organization: string; fee: Fee; currency: string; onClose: () => void };

export function ExplainFee({ organization, fee, currency, onClose }: Props) {
  const { data, error } = useQuery(explanationQuery(organization, fee.svc_id));
  const { window } = data ?? {};
  const { item } = fee;
  return (
    <div className={classes.explain}>
      <div className={classes.title}>
        <h2>Why {money(fee.amount_cents, currency)}</h2>
        <CloseButton aria-label="Close the explanation" onClick={onClose} />
      </div>
      <p className={classes.name}>
        {item.invoice_display_name || item.name}
        {fee.filter_invoice_display_name ? ` · ${fee.filter_invoice_display_name}` : ""}
        {window ? `, ${showDay(window.first_day)} to ${showDay(window.last_day)}, in days of ${window.timezone}` : ""}
      </p>
      <Problem error={error} />
      {data ? (
        <Steps key={fee.svc_id} organization={organization} explanation={data} fee={fee} />
      ) : (
        !error && <Skeleton height={320} radius={2} />
      )}
    </div>
  );
}

type StepsProps = { organization: string; explanation: FeeExplanation; fee: Fee };

function Steps({ organization, explanation, fee }: StepsProps) {
  const { currency, amount_cents: amount, window, events_counted: counted, events_ignored: ignored } = explanation;
  const usage = usageOf(explanation);
  const ignoredNote = ignored ? `${quantity(String(ignored))} events without a value were not counted` : undefined;
  return (
    <ol className={classes.stick}>
      <Step title="On the invoice" amount={money(amount, currency)} />
      {usage ? <UsageSteps explanation={explanation} usage={usage} /> : <LineSteps explanation={explanation} />}
      {usage && <Step title={basisTitle(usage.basis)} amount={quantity(fee.units)} note={ignoredNote} />}
      {counted ? (
        <EventsStep count={counted} organization={organization} fee={fee} timeZone={window?.timezone ?? "UTC"} />
      ) : null}
    </ol>
  );
}

type Usage = { exact: Exact; parts: readonly AmountPart[]; basis: { type: string; field?: string } };

/** The steps of the price, if they explain the whole amount; otherwise the lines of the API do. */
function usageOf({ derivation, lines }: FeeExplanation): Usage | undefined {
  if (!("fee" in derivation) || !("quantity" in derivation)) return undefined;
  // Work of other days, or a limit at zero, is in the lines only.
  if (lines.some(({ name }) => name !== "events" && name !== "rounding" && name !== "flat_amount")) return undefined;
  const parts = amountParts(derivation.fee.pricing as never);
  return { exact: readExact(derivation.fee.exact), parts, basis: derivation.quantity.basis };
}

function UsageSteps({ explanation, usage }: { explanation: FeeExplanation; usage: Usage }) {
  const { currency, amount_cents: amount } = explanation;
  const billed = inMajorUnits(minor(BigInt(amount)), currencyOf(currency));
  const rounding = billed.minus(usage.exact);
  return (
    <>
      {!rounding.isZero() && (
        <Step
          title="Rounded once, to the cent"
          amount={exactMoney(roundTo(rounding, 12).toFixed(), currency)}
          note={`from exactly ${exactMoney(roundTo(usage.exact, 12).toFixed(), currency)}`}
        />
      )}
      {usage.parts.map((part, index) => (
        <Step
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the parts is their identity
          key={index}
          title={partTitle(part)}
          note={partSum(part, currency)}
          amount={exactMoney(roundTo(part.amount, 12).toFixed(), currency)}
        />
      ))}
    </>
  );
}

function LineSteps({ explanation }: { explanation: FeeExplanation }) {
  const { lines, currency, text } = explanation;
  return (
    <>
      {lines.map(({ name, label, exact_amount_cents: exact }) => (
        <Step key={name} title={label} amount={exactMoney(majorOf(exact, currency), currency)} />
      ))}
      <Step
        title="In words"
        note={text.map((sentence) => (
          <span key={sentence} className={classes.sentence}>
            {sentence}
          </span>
        ))}
      />
    </>
  );
}

type StepProps = { title: string; amount?: string; note?: ReactNode; children?: ReactNode; isLast?: boolean };

function Step({ title, amount, note, children, isLast }: StepProps) {
  return (
    <li className={classes.step} data-last={isLast || undefined}>
      <div className={classes.line}>
        <span>{title}</span>
        {amount && <span className="figure">{amount}</span>}
      </div>
      {note && <div className={classes.note}>{note}</div>}
      {children}
    </li>
  );
}

type EventsProps = { count: number; organization: string; fee: Fee; timeZone: string };

function EventsStep({ count, organization, fee, timeZone }: EventsProps) {
  const [isOpen, setOpen] = useState(false);
  const title = `${quantity(String(count))} ${count === 1 ? "event" : "events"}`;
  const button = (
    <Button variant="default" size="compact-xs" onClick={() => setOpen(true)}>
      Show each with what it cost
    </Button>
  );
  return (
    <Step title={title} note={isOpen ? undefined : button} isLast>
      {isOpen && (
        <FeeEvents organization={organization} feeId={fee.svc_id} currency={fee.amount_currency} timeZone={timeZone} />
      )}
    </Step>
  );
}
