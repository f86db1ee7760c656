# Makes the fonts of this folder from the originals: names of their own, and of the CJK ones what names of people and firms need.
import sys
from fontTools import subset
from fontTools.ttLib import TTFont

def encodable(codec, leads, trails):
    found = set()
    for lead in leads:
        for trail in trails:
            try:
                text = bytes([lead, trail]).decode(codec)
            except UnicodeDecodeError:
                continue
            found.update(map(ord, text))
    return found

HAN = encodable("gb2312", range(0xB0, 0xF8), range(0xA1, 0xFF)) | encodable("big5", range(0xA4, 0xC7), range(0x40, 0xFF)) \
    | encodable("euc_jp", range(0xB0, 0xF5), range(0xA1, 0xFF)) | set(range(0x3000, 0x3100)) | set(range(0xFF00, 0xFFF0)) | set(range(0x31F0, 0x3200))
HANGUL = encodable("euc_kr", range(0xB0, 0xC9), range(0xA1, 0xFF)) | set(range(0x3130, 0x3190))

def rename(font, family, weight):
    style = {400: "Regular", 600: "SemiBold"}[weight]
    names = {1: family if weight == 400 else f"{family} {style}", 2: "Regular", 3: f"{family} {style}", 4: f"{family} {style}",
             6: f"{family}-{style}".replace(" ", ""), 16: family, 17: style}
    table = font["name"]
    for number in (21, 22, 25):
        table.removeNames(nameID=number)
    for number, text in names.items():
        table.removeNames(nameID=number)
        table.setName(text, number, 3, 1, 0x409)
    font["OS/2"].usWeightClass = weight

def make(source, family, weight, target, only=None):
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(hinting=False, layout_features=[] if only else ["*"], name_IDs=["*"], notdef_outline=True, glyph_names=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=only or font.getBestCmap().keys())
    subsetter.subset(font)
    rename(font, family, weight)
    font.save(target)
    print(target, len(font.getBestCmap()))

X = "x"; OUT = "out"
W = {400: "400Regular", 600: "600SemiBold"}
for name, file, package in [("Sans", "Inter", "inter"), ("Arabic", "NotoSansArabic", "noto-sans-arabic"), ("Hebrew", "NotoSansHebrew", "noto-sans-hebrew")]:
    for weight, folder in W.items():
        make(f"{X}/{package}/{folder}/{file}_{folder}.ttf", f"Tallystick {name}", weight, f"{OUT}/{name.lower()}-{weight}.ttf")
for name, file, package, only in [("Thai", "NotoSansThai", "noto-sans-thai", None), ("Devanagari", "NotoSansDevanagari", "noto-sans-devanagari", None),
                                  ("Han", "NotoSansSC", "noto-sans-sc", HAN), ("Hangul", "NotoSansKR", "noto-sans-kr", HANGUL)]:
    make(f"{X}/{package}/400Regular/{file}_400Regular.ttf", f"Tallystick {name}", 400, f"{OUT}/{name.lower()}-400.ttf", only)
