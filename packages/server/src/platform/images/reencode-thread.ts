/** Decodes an image, scales it down and encodes it again, so that no input byte reaches the output. */
import { parentPort, workerData } from "node:worker_threads";
import { decode as decodeJpeg } from "jpeg-js";
import { PNG } from "pngjs";

export type Picture = { png: Uint8Array; width: number; height: number };
export type ThreadAnswer = { picture: Picture } | { refusal: string };

const PIXELS_MAX = 5_000_000;
/** On paper the image is up to 55 mm wide and 18 mm high: enough for 400 dots per inch. */
const WIDTH_MAX = 880;
const HEIGHT_MAX = 288;

type Pixels = { width: number; height: number; data: Uint8Array };

const PNG_SIGNATURE = Buffer.from("89504e470d0a1a0a", "hex");
const JPEG_SIGNATURE = Buffer.from("ffd8ff", "hex");

function reencode(bytes: Buffer): ThreadAnswer {
  try {
    const pixels = decode(bytes);
    if (typeof pixels === "string") return { refusal: pixels };
    const small = fitted(pixels);
    const png = new PNG({ width: small.width, height: small.height, colorType: 2 });
    png.data = Buffer.from(small.data);
    const written = PNG.sync.write(png, { colorType: 2, inputHasAlpha: true });
    return { picture: { png: written, width: small.width, height: small.height } };
  } catch {
    return { refusal: "image_is_broken" };
  }
}

function decode(bytes: Buffer): Pixels | string {
  if (bytes.subarray(0, 8).equals(PNG_SIGNATURE)) return refusalOfPng(bytes) ?? PNG.sync.read(upToEnd(bytes));
  if (!bytes.subarray(0, 3).equals(JPEG_SIGNATURE)) return "image_type_is_not_supported";
  const limits = { maxResolutionInMP: PIXELS_MAX / 1_000_000, maxMemoryUsageInMB: 256 };
  return decodeJpeg(bytes, { useTArray: true, tolerantDecoding: false, ...limits });
}

/**
 * Reads the declared properties of a PNG before anything is decoded. Interlaced images are refused, because the decoder has no limit for
 * them.
 */
function refusalOfPng(bytes: Buffer): string | undefined {
  const isOne = bytes.indexOf("IHDR", 0, "latin1") === 12 && bytes.indexOf("IHDR", 13, "latin1") === -1;
  if (!isOne || bytes.length < 33) return "image_is_broken";
  if (bytes.readUInt32BE(16) * bytes.readUInt32BE(20) > PIXELS_MAX) return "image_is_too_large";
  return bytes[28] === 0 ? undefined : "image_is_interlaced";
}

/** The decoder refuses trailing bytes, which some programs write. */
const upToEnd = (png: Buffer): Buffer => png.subarray(0, png.lastIndexOf("IEND") + 8);

/** On white, as it will be on paper, and no larger than paper can show. Each new pixel is the mean of those that it covers. */
function fitted({ width, height, data }: Pixels): Pixels {
  const scale = Math.min(1, WIDTH_MAX / width, HEIGHT_MAX / height);
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) };
  const small = new Uint8Array(size.width * size.height * 4);
  for (let y = 0; y < size.height; y++) {
    const rows = covered(y, size.height, height);
    for (let x = 0; x < size.width; x++) {
      const columns = covered(x, size.width, width);
      small.set(meanOnWhite(data, width, rows, columns), (y * size.width + x) * 4);
    }
  }
  return { ...size, data: small };
}

type Span = { from: number; to: number };

const covered = (index: number, count: number, among: number): Span => {
  const from = Math.floor((index * among) / count);
  return { from, to: Math.max(from + 1, Math.floor(((index + 1) * among) / count)) };
};

function meanOnWhite(data: Uint8Array, width: number, rows: Span, columns: Span): [number, number, number, number] {
  const sums = [0, 0, 0];
  for (let y = rows.from; y < rows.to; y++) {
    for (let x = columns.from; x < columns.to; x++) {
      const at = (y * width + x) * 4;
      const alpha = (data[at + 3] ?? 0) / 255;
      for (let channel = 0; channel < 3; channel++)
        sums[channel] = (sums[channel] ?? 0) + 255 + ((data[at + channel] ?? 0) - 255) * alpha;
    }
  }
  const count = (rows.to - rows.from) * (columns.to - columns.from);
  const [red = 0, green = 0, blue = 0] = sums.map((sum) => Math.round(sum / count));
  return [red, green, blue, 255];
}

parentPort?.postMessage(reencode(Buffer.from(workerData as Uint8Array)));
