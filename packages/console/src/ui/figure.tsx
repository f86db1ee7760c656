import { moneyParts } from "../format/money.ts";
import classes from "./figure.module.css";

/** An amount: the currency and the minor units step back, so that columns are read by their whole units. */
export function Figure({
  minor,
  currency,
  size,
}: {
  minor: number | bigint | string;
  currency: string;
  size?: "big" | "total";
}) {
  const parts = moneyParts(minor, currency);
  return (
    <span className={`figure ${classes.figure}`} data-size={size}>
      {parts.map((part, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: parts of one number never move
          key={index}
          data-part={
            part.type === "decimal" || part.type === "fraction"
              ? "minor"
              : part.type === "currency"
                ? "currency"
                : undefined
          }
        >
          {part.value}
        </span>
      ))}
    </span>
  );
}
