import { randomBytes } from "node:crypto";
import { deflateSync } from "node:zlib";
import { encode as encodeJpeg } from "jpeg-js";
import { PNG } from "pngjs";
import { expect, it, test } from "vitest";
import { reencodeImage } from "./reencode-image.ts";

type Color = readonly [red: number, green: number, blue: number, alpha: number];
const RED: Color = [255, 0, 0, 255];

function pixelsOf(width: number, height: number, color: Color): Buffer {
  return Buffer.concat(Array.from({ length: width * height }, () => Buffer.from(color)));
}
function pngOf(width: number, height: number, color: Color = RED): Buffer {
  const png = new PNG({ width, height });
  png.data = pixelsOf(width, height, color);
  return PNG.sync.write(png);
}
const firstPixel = (png: Uint8Array): number[] => [...PNG.sync.read(Buffer.from(png)).data.subarray(0, 4)];
const reasonOf = (bytes: Buffer, timeMaxMs?: number): Promise<string> =>
  reencodeImage(bytes, timeMaxMs).then(
    () => "taken",
    ({ reason }) => reason,
  );

test("a PNG is re-encoded on white, without its metadata", async () => {
  const picture = await reencodeImage(Buffer.concat([pngOf(30, 20, [255, 0, 0, 128]), Buffer.from("<script>")]));
  expect(picture).toMatchObject({ width: 30, height: 20 });
  expect(firstPixel(picture.png)).toEqual([255, 127, 127, 255]);
  expect(Buffer.from(picture.png).includes("<script>")).toBe(false);
});

test("a JPEG becomes a PNG", async () => {
  const { data } = encodeJpeg({ width: 16, height: 16, data: pixelsOf(16, 16, RED) }, 95);
  const picture = await reencodeImage(data);
  expect(picture).toMatchObject({ width: 16, height: 16 });
  const [red = 0, green = 255, blue = 255] = firstPixel(picture.png);
  expect(red).toBeGreaterThan(240);
  expect(green + blue).toBeLessThan(20);
});

it.each([
  [2000, 100, 880, 44],
  [100, 2000, 14, 288],
  [1, 1, 1, 1],
])("an image of %i × %i pixels is scaled down to what paper can show", async (width, height, keptWidth, keptHeight) => {
  const { png: _, ...size } = await reencodeImage(pngOf(width, height));
  expect(size).toEqual({ width: keptWidth, height: keptHeight });
});

test("an image with huge declared dimensions, or an interlaced one, is refused before decoding", async () => {
  const huge = pngOf(4, 4);
  huge.writeUInt32BE(50_000, 16);
  huge.writeUInt32BE(50_000, 20);
  expect(await reasonOf(huge)).toBe("image_is_too_large");
  const interlaced = pngOf(4, 4);
  interlaced[28] = 1;
  expect(await reasonOf(interlaced)).toBe("image_is_interlaced");
  expect(await reasonOf(Buffer.concat([pngOf(4, 4), pngOf(4, 4).subarray(8)]))).toBe("image_is_broken");
});

it.each<[string, Buffer, string]>([
  ["nothing", Buffer.alloc(0), "image_type_is_not_supported"],
  ["SVG", Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'), "image_type_is_not_supported"],
  ["HTML", Buffer.from("<!doctype html><p>Not here"), "image_type_is_not_supported"],
  ["GIF", Buffer.from("GIF89a"), "image_type_is_not_supported"],
  ["half a PNG", pngOf(40, 40).subarray(0, 60), "image_is_broken"],
  ["a PNG of noise", Buffer.concat([pngOf(4, 4).subarray(0, 33), randomBytes(500)]), "image_is_broken"],
  ["a JPEG of noise", Buffer.concat([Buffer.from("ffd8ffe0", "hex"), randomBytes(500)]), "image_is_broken"],
])("%s is refused", async (_, bytes, reason) => {
  expect(await reasonOf(bytes)).toBe(reason);
});

test("an image that expands to far more than it declares is not decoded", async () => {
  const small = pngOf(4, 4);
  const bomb = deflateSync(Buffer.alloc(200 * 2 ** 20));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bomb.length);
  const noChecksum = Buffer.alloc(4);
  const parts = [small.subarray(0, 33), length, Buffer.from("IDAT"), bomb, noChecksum, small.subarray(-12)];
  expect(await reasonOf(Buffer.concat(parts))).not.toBe("taken");
});

test("decoding is aborted at the time limit", async () => {
  expect(await reasonOf(pngOf(4, 4), 0)).toBe("image_takes_too_long");
});
