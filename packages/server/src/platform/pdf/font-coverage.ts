/** Which characters a TrueType font can draw, from its `cmap` table. */

/** Code points with a glyph. Only the two table formats with Unicode text are read. */
export function readCoverage(font: Buffer): ReadonlySet<number> {
  const cmap = tableAt(font, "cmap");
  const found = new Set<number>();
  for (let index = 0; index < font.readUInt16BE(cmap + 2); index++) {
    const subtable = cmap + font.readUInt32BE(cmap + 4 + 8 * index + 4);
    const format = font.readUInt16BE(subtable);
    const codes = format === 12 ? codesOfGroups(font, subtable) : format === 4 ? codesOfSegments(font, subtable) : [];
    for (const code of codes) found.add(code);
  }
  return found;
}

function tableAt(font: Buffer, tag: string): number {
  for (let index = 0; index < font.readUInt16BE(4); index++) {
    const record = 12 + 16 * index;
    if (font.toString("latin1", record, record + 4) === tag) return font.readUInt32BE(record + 8);
  }
  throw new Error(`the font has no table ${tag}`);
}

/** Format 12: groups of first, last and the glyph of the first. */
function* codesOfGroups(font: Buffer, subtable: number): Iterable<number> {
  for (let index = 0; index < font.readUInt32BE(subtable + 12); index++) {
    const group = subtable + 16 + 12 * index;
    for (let code = font.readUInt32BE(group); code <= font.readUInt32BE(group + 4); code++) yield code;
  }
}

/** Format 4: four arrays, with last codes, first codes, offsets to glyphs and their positions. */
function* codesOfSegments(font: Buffer, subtable: number): Iterable<number> {
  const doubled = font.readUInt16BE(subtable + 6);
  for (let at = 0; at < doubled; at += 2) {
    const last = font.readUInt16BE(subtable + 14 + at);
    const first = font.readUInt16BE(subtable + 16 + doubled + at);
    const delta = font.readUInt16BE(subtable + 16 + 2 * doubled + at);
    const position = subtable + 16 + 3 * doubled + at;
    const offset = font.readUInt16BE(position);
    for (let code = first; code <= last && code !== 0xffff; code++) {
      const glyph = offset === 0 ? code + delta : font.readUInt16BE(position + offset + 2 * (code - first));
      if ((glyph & 0xffff) !== 0) yield code;
    }
  }
}
