/** Settings that are whole numbers. */
export type Mistake = { mistake: string };

export const integer =
  (min: number, max: number) =>
  (value: string): number | Mistake => {
    const number = Number(value);
    const isFine = /^\d{1,9}$/.test(value) && number >= min && number <= max;
    return isFine ? number : { mistake: `must be a whole number from ${min} to ${max}` };
  };
