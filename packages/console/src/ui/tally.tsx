/** Tally strokes: four, and the fifth across them. */
export function Tally({ count, height = 14, done = count }: { count: number; height?: number; done?: number }) {
  const groups = Math.ceil(count / 5);
  const width = groups * 26;
  const strokes = Array.from({ length: count }, (_, index) => index);
  return (
    <svg
      width={(width * height) / 20}
      height={height}
      viewBox={`0 0 ${width} 20`}
      aria-hidden="true"
      fill="none"
      strokeWidth={height > 24 ? 1.5 : 2.2}
      strokeLinecap="round"
    >
      {strokes.map((index) => {
        const left = Math.floor(index / 5) * 26 + 4;
        const inGroup = index % 5;
        const isCross = inGroup === 4;
        const d = isCross ? `M${left - 3} 16 ${left + 18} 4` : `M${left + inGroup * 5} 3v14`;
        return (
          <path
            key={index}
            d={d}
            stroke={index < done ? (isCross ? "var(--hazel)" : "var(--ink-2)") : "var(--rule-2)"}
          />
        );
      })}
    </svg>
  );
}

export function Mark({ size = 22 }: { size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 32 32"
      aria-hidden="true"
      fill="none"
      strokeWidth="2.6"
      strokeLinecap="round"
    >
      <path d="M7 6v20M13 6v20M19 6v20M25 6v20" stroke="var(--ink)" />
      <path d="M3 24 29 8" stroke="var(--hazel)" strokeWidth="3" />
    </svg>
  );
}

/** The two halves of a split stick, whose notches meet. */
export function SplitStick({ matches = true }: { matches?: boolean }) {
  return (
    <svg
      width="44"
      height="22"
      viewBox="0 0 44 22"
      aria-hidden="true"
      fill="none"
      stroke={matches ? "var(--verdigris)" : "var(--madder)"}
      strokeWidth="1.6"
      strokeLinejoin="round"
    >
      <path d="M1 3h7l2 4 2-4h6l2 4 2-4h6l2 4 2-4h11v6H1z" />
      <path
        d={matches ? "M1 19h7l2-4 2 4h6l2-4 2 4h6l2-4 2 4h11v-6H1z" : "M1 19h9l2-4 2 4h5l2-4 2 4h7l2-4 2 4h9v-6H1z"}
      />
    </svg>
  );
}
