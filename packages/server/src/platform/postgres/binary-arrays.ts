/**
 * Array parameters in Postgres' own binary form. A Buffer is sent as it is, so nothing is escaped here or parsed there, and an instant
 * or a number loses nothing on the way.
 */
const HEADER_BYTES = 20;

/** Their numbers in the catalog, the same in every version of Postgres. */
const OID = {
  boolean: 16,
  bytea: 17,
  smallint: 21,
  text: 25,
  timestamptz: 1184,
  numeric: 1700,
  uuid: 2950,
  jsonb: 3802,
};

/** 2000-01-01, where Postgres counts from. */
const EPOCH_MICROSECONDS = 946_684_800_000_000n;

const NULL_LENGTH = -1;
const JSONB_VERSION = 1;
/** A numeric is written in digits of this base. */
const NUMERIC_BASE = 10_000;
const DIGITS_OF_128_BITS = 10;
const WORDS_OF_128_BITS = 4;

export function textArray(values: readonly string[]): Buffer {
  return variableArray(OID.text, values, (bytes, value, at) => bytes.write(value, at, "utf8"));
}

export function jsonbArray(values: readonly (string | null)[]): Buffer {
  return variableArray(OID.jsonb, values, (bytes, value, at) => {
    bytes[at] = JSONB_VERSION;
    return 1 + bytes.write(value, at + 1, "utf8");
  });
}

export function smallintArray(values: readonly number[]): Buffer {
  return fixedArray(OID.smallint, 2, values.length, (view, at, index) => view.setInt16(at, values[index] ?? 0));
}

export function booleanArray(values: readonly boolean[]): Buffer {
  return fixedArray(OID.boolean, 1, values.length, (view, at, index) => view.setUint8(at, values[index] ? 1 : 0));
}

/** From microseconds since 1970. */
export function timestamptzArray(values: readonly bigint[]): Buffer {
  return fixedArray(OID.timestamptz, 8, values.length, (view, at, index) =>
    view.setBigInt64(at, (values[index] ?? 0n) - EPOCH_MICROSECONDS),
  );
}

/** From 16 bytes each, one after the other. */
export const uuidArray = (bytes: Buffer): Buffer => sixteenBytesArray(OID.uuid, bytes);

/** From 16 bytes each, one after the other. */
export const byteaArray = (bytes: Buffer): Buffer => sixteenBytesArray(OID.bytea, bytes);

/** From whole numbers of 16 bytes each, one after the other. */
export function numericArray(bytes: Uint8Array): Buffer {
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const rest = new Array<number>(WORDS_OF_128_BITS).fill(0);
  const size = 8 + 2 * DIGITS_OF_128_BITS;
  return fixedArray(OID.numeric, size, bytes.length / 16, (view, at, index) => {
    for (let word = 0; word < WORDS_OF_128_BITS; word++) rest[word] = words.getUint32(16 * index + 4 * word);
    view.setInt16(at, DIGITS_OF_128_BITS);
    view.setInt16(at + 2, DIGITS_OF_128_BITS - 1);
    view.setInt32(at + 4, 0);
    for (let digit = DIGITS_OF_128_BITS - 1; digit >= 0; digit--) view.setInt16(at + 8 + 2 * digit, divideByBase(rest));
  });
}

/** The quotient is left in `words`, the highest first; the remainder is returned. All stays below 2^53. */
function divideByBase(words: number[]): number {
  let remainder = 0;
  for (let word = 0; word < WORDS_OF_128_BITS; word++) {
    const dividend = remainder * 2 ** 32 + (words[word] ?? 0);
    const quotient = Math.floor(dividend / NUMERIC_BASE);
    words[word] = quotient;
    // Not with %, which takes several times as long on numbers of this size.
    remainder = dividend - quotient * NUMERIC_BASE;
  }
  return remainder;
}

function sixteenBytesArray(oid: number, input: Buffer): Buffer {
  const count = input.length / 16;
  const bytes = allocate(oid, count, count * 20);
  for (let index = 0; index < count; index++) {
    const at = HEADER_BYTES + 20 * index;
    bytes.writeInt32BE(16, at);
    input.copy(bytes, at + 4, 16 * index, 16 * index + 16);
  }
  return bytes;
}

function fixedArray(
  oid: number,
  size: number,
  count: number,
  write: (view: DataView, at: number, index: number) => void,
): Buffer {
  const bytes = allocate(oid, count, count * (4 + size));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let index = 0, at = HEADER_BYTES; index < count; index++, at += 4 + size) {
    view.setInt32(at, size);
    write(view, at + 4, index);
  }
  return bytes;
}

/** Where arrays of unknown length are written before they are copied: memory outside the heap is what the collector is slow with. */
let scratch = Buffer.allocUnsafe(0);

/** `write` returns how many bytes it took; a character takes three at most for each of its units. */
function variableArray(
  oid: number,
  values: readonly (string | null)[],
  write: (bytes: Buffer, value: string, at: number) => number,
): Buffer {
  let room = 0;
  for (const value of values) room += 5 + 3 * (value?.length ?? 0);
  if (scratch.length < room) scratch = Buffer.allocUnsafe(room);
  let end = 0;
  for (const value of values) {
    const length = value === null ? NULL_LENGTH : write(scratch, value, end + 4);
    scratch.writeInt32BE(length, end);
    end += 4 + Math.max(length, 0);
  }
  const bytes = allocate(oid, values.length, end);
  scratch.copy(bytes, HEADER_BYTES, 0, end);
  return bytes;
}

function allocate(oid: number, count: number, room: number): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + room);
  bytes.writeInt32BE(1, 0); // dimensions
  bytes.writeInt32BE(1, 4); // may hold nulls
  bytes.writeInt32BE(oid, 8);
  bytes.writeInt32BE(count, 12);
  bytes.writeInt32BE(1, 16); // the first element is number 1
  return bytes;
}
