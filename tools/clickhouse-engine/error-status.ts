/** The HTTP status of ClickHouse for its exceptions. */

const STATUS_BY_CODE: ReadonlyMap<number, number> = new Map([
  // The statement or its data cannot be parsed.
  ...[6, 20, 25, 26, 27, 36, 38, 41, 43, 44, 53, 62, 69, 70, 72, 117, 167, 168, 192, 456].map(
    (code) => [code, 400] as const,
  ),
  // The statement names something that does not exist.
  ...[46, 47, 50, 56, 60, 63, 73, 81, 115].map((code) => [code, 404] as const),
  [48, 501],
  [159, 408],
  [209, 503],
  [497, 403],
]);

export function exceptionOf(message: string): { code: number; status: number } {
  const code = Number(/Code: (\d+)/.exec(message)?.[1] ?? 1002);
  return { code, status: STATUS_BY_CODE.get(code) ?? 500 };
}
