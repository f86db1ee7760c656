/** What a quantity costs: tiers behind it, the price of before dashed, and a notch where the quantity stands. */
import { money, quantity, shortNumber } from "../../format/money.ts";
import type { Band, Curve, CurvePoint } from "./curve.ts";
import classes from "./price-curve.module.css";
import { roundUp } from "./round-up.ts";

type Props = {
  curve: Curve;
  before: readonly CurvePoint[];
  at: CurvePoint & { minor: string };
  currency: string;
  label: string;
};

const WIDTH = 420;
const HEIGHT = 210;
const LEFT = 52;
const RIGHT = 8;
const TOP = 22;
const BOTTOM = 26;

/** Of what costs nothing: it has a scale too. */
const LEAST = 1e-6;

const within = (span: number, value: number, most: number): number => (most === 0 ? 0 : (span * value) / most);

export function PriceCurve({ curve: { points, bands }, before, at, currency, label }: Props) {
  const most = points.at(-1)?.units ?? 1;
  const high = Math.max(...points.map(({ amount }) => amount), ...before.map(({ amount }) => amount), LEAST);
  const step = roundUp(high / 4);
  const top = step * Math.ceil(high / step);
  const x = (units: number) => LEFT + within(WIDTH - LEFT - RIGHT, Math.min(units, most), most);
  const y = (amount: number) => HEIGHT - BOTTOM - within(HEIGHT - BOTTOM - TOP, Math.min(amount, top), top);
  const path = (line: readonly CurvePoint[]) =>
    line.map(({ units, amount }, index) => `${index === 0 ? "M" : "L"}${x(units).toFixed(1)} ${y(amount).toFixed(1)}`);
  const ticks = Array.from({ length: Math.round(top / step) + 1 }, (_, index) => index * step);
  return (
    <svg
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      className={classes.curve}
      role="img"
      aria-label={`${label}: ${quantity(String(at.units))} units cost ${money(at.minor, currency)}`}
    >
      <Bands bands={bands} x={x} />
      {ticks.map((tick) => (
        <g key={tick}>
          <path d={`M${LEFT} ${y(tick)}H${WIDTH - RIGHT}`} className={classes.grid} />
          <text x={LEFT - 8} y={y(tick) + 4} textAnchor="end" className={classes.tick}>
            {shortNumber(tick)}
          </text>
        </g>
      ))}
      {[0, 0.25, 0.5, 0.75, 1].map((share) => (
        <text
          key={share}
          x={x(most * share)}
          y={HEIGHT - 8}
          textAnchor={share === 1 ? "end" : "middle"}
          className={classes.tick}
        >
          {shortNumber(most * share)}
        </text>
      ))}
      {before.length > 0 && <path d={path(before).join("")} className={classes.before} />}
      <path d={path(points).join("")} className={classes.line} />
      <path d={`M${x(at.units)} ${y(at.amount)}V${HEIGHT - BOTTOM}`} className={classes.drop} />
      <path d={`M${x(at.units) - 6} ${HEIGHT - BOTTOM + 1}h12l-6 -9z`} className={classes.notch} />
      <circle cx={x(at.units)} cy={y(at.amount)} r="4.5" className={classes.dot} />
    </svg>
  );
}

/** The room of a letter of a label. */
const LETTER_WIDTH = 6.2;

function Bands({ bands, x }: { bands: readonly Band[]; x: (units: number) => number }) {
  return bands.map((band, index) => {
    const width = Math.max(x(band.to) - x(band.from), 0);
    const label = Number.parseFloat(band.each) === 0 ? "free" : `${band.each} each`;
    return (
      <g key={band.from}>
        <rect
          x={x(band.from)}
          y={TOP}
          width={width}
          height={HEIGHT - BOTTOM - TOP}
          className={index % 2 === 1 ? classes.band : classes.bandless}
        />
        {width > label.length * LETTER_WIDTH && (
          <text x={x(band.from) + 5} y={TOP - 7} className={classes.tick}>
            {label}
          </text>
        )}
      </g>
    );
  });
}

const SMALL = { width: 132, height: 44 };

/** The shape of a price alone. */
export function SmallCurve({ points }: { points: readonly CurvePoint[] }) {
  const most = points.at(-1)?.units ?? 1;
  const high = Math.max(...points.map(({ amount }) => amount), 0.01);
  const d = points.map(
    ({ units, amount }, index) =>
      `${index === 0 ? "M" : "L"}${(1 + within(SMALL.width - 2, units, most)).toFixed(1)} ${(SMALL.height - 2 - within(SMALL.height - 4, amount, high)).toFixed(1)}`,
  );
  return (
    <svg
      width={SMALL.width}
      height={SMALL.height}
      viewBox={`0 0 ${SMALL.width} ${SMALL.height}`}
      aria-hidden="true"
      className={classes.small}
    >
      <path d={`M0 ${SMALL.height - 1}H${SMALL.width}`} className={classes.grid} />
      <path d={d.join("")} className={classes.line} />
    </svg>
  );
}
