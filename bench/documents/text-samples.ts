/** Documents with difficult texts and numbers: long, wide, hostile, and in other scripts. */
import { billMonth } from "./month.ts";
import { addTax, BERLIN, BUYER, type Sample, sellAs, showLogo, speaking, tiers } from "./parties.ts";

export const TEXT_SAMPLES: Readonly<Record<string, Sample>> = {
  "09-long-texts-de": async (studio) => {
    await addTax(studio, "text-vat", { name: "USt.", rate: "19" });
    await showLogo(studio, 60, 400);
    const long = "Gesellschaft für außerordentlich langfristige Datenverarbeitungsangelegenheiten ";
    await sellAs(
      studio,
      {
        ...BERLIN,
        legal_name: long.repeat(3).slice(0, 250),
        address_line2: long.repeat(3).slice(0, 250),
        city: "Donaudampfschifffahrtsgesellschaftskapitänsmützenstadt",
      },
      "Der Betrag ist ohne Abzug zahlbar. ".repeat(20).slice(0, 600),
    );
    const metadata = Array.from({ length: 5 }, (_, index) => ({
      key: `Bestellnummer Nr. ${index}`,
      value:
        index === 0
          ? "X".repeat(100)
          : "Kostenstelle der Abteilung für Beschaffung und Einkauf ".repeat(2).slice(0, 100),
      display_in_invoice: true,
    }));
    return billMonth(studio, {
      customer: {
        ...BUYER,
        ...speaking("de"),
        name: long.repeat(3).slice(0, 250),
        legal_name: "W".repeat(250),
        address_line1: long.repeat(3).slice(0, 250),
        email: `${"a".repeat(60)}@${"b".repeat(60)}.example`,
        metadata,
        tax_codes: ["text-vat"],
      },
      plan: { amount_cents: 99_999_999_999, name: long.repeat(3).slice(0, 250) },
      subscription: { name: long.repeat(3).slice(0, 250) },
      charges: [
        {
          name: "x",
          events: [{ v: "123456789.123456789" }],
          invoice_display_name: long.repeat(3).slice(0, 250),
          properties: { amount: "0.123456789012345" },
        },
        {
          name: "y",
          events: [{ v: 5, host: "k8s-node-pool-".repeat(12) }],
          properties: { amount: "9999999.99", grouped_by: ["host"] },
        },
      ],
    });
  },
  "10-arabic-hebrew-en": async (studio) => {
    await showLogo(studio, 4, 4);
    await sellAs(
      studio,
      {
        ...BERLIN,
        legal_name: "شركة القياس المحدودة",
        address_line1: "١٢ شارع التحرير",
        city: "القاهرة",
        zipcode: "11511",
        country: "EG",
      },
      "شكراً لتعاملكم معنا. الدفع خلال 30 يوماً.",
    );
    return billMonth(studio, {
      customer: {
        ...BUYER,
        legal_name: "חברת הבדיקות בע״מ",
        name: "בדיקה (Test) בע״מ",
        address_line1: "רחוב הרצל 5, דירה 3",
        city: "תל אביב",
        country: "IL",
      },
      plan: { amount_cents: 4200, name: "خطة النمو Growth 2" },
      subscription: { name: "מנוי ראשי" },
      charges: [{ name: "مكالمات API", events: [12.5] }],
    });
  },
  "11-chinese-japanese-korean-thai-hindi-en": async (studio) => {
    await sellAs(
      studio,
      {
        ...BERLIN,
        legal_name: "株式会社計量サービス",
        address_line1: "千代田区丸の内１丁目９−１",
        city: "東京",
        zipcode: "100-0005",
        country: "JP",
      },
      "お支払いは30日以内にお願いいたします。振込手数料はお客様のご負担となります。",
    );
    return billMonth(studio, {
      customer: {
        ...BUYER,
        legal_name: "上海数据科技有限公司",
        name: "臺灣資料股份有限公司",
        address_line1: "서울특별시 중구 세종대로 110",
        address_line2: "ถนนสุขุมวิท กรุงเทพมหานคร",
        city: "नई दिल्ली",
        country: "IN",
      },
      plan: { amount_cents: 4200, name: "成長プラン" },
      subscription: { name: "한국어 구독" },
      charges: [
        { name: "API呼び出し回数、データ転送量、および保存容量の合計をまとめて請求する項目です", events: [12.5] },
      ],
    });
  },
  "12-hostile-en": async (studio) => {
    await sellAs(
      studio,
      BERLIN,
      '#pagebreak() #panic("x")\n*not bold*\u202Eturned around\u202C 🚀 a\u0301\u0302\u0303\u0304 \\u{1F600}',
    );
    return billMonth(studio, {
      customer: {
        ...BUYER,
        legal_name: null,
        name: '#panic("x") *bold* $1/2$ `code` [#eval("1+1")] \\ // <a> @b = c',
        address_line1: "Z̸̢̛a̷l̶g̵o̴ 👩‍👩‍👧 ﷽",
        address_line2: "line one\nline two\ttab",
        city: "W".repeat(200),
      },
      plan: { amount_cents: 4200, name: "<script>alert(1)</script> $(x) {{y}} %s {amount} {page}" },
      subscription: { name: "= #pagebreak()" },
      charges: [{ name: "a\u200Bb\uFEFFc -> => <!-- --> ff fi ffi", events: [12.5] }],
    });
  },
  "15-huge-numbers-en": async (studio) => {
    await sellAs(studio, BERLIN);
    const huge = { v: "123456789012345678.123456789012345" };
    return billMonth(studio, {
      customer: { ...BUYER, tax_codes: ["text-vat"] },
      plan: { amount_cents: 9_007_199_254_740_991, amount_currency: "KWD" },
      charges: [
        { name: "Bytes stored in the archive", events: [huge], properties: { amount: "0.000000012345678" } },
        {
          name: "Bytes sent",
          events: [huge],
          charge_model: "graduated",
          properties: {
            graduated_ranges: tiers(
              [0, 100_000_000_000_000, "0.000000012345678", "0"],
              [100_000_000_000_001, null, "0.000000012345678", "123456789.123"],
            ),
          },
        },
      ],
    });
  },
  "16-long-description-en": async (studio) => {
    await sellAs(studio, BERLIN, `${"\n".repeat(300)}The end`);
    const description = `${"Many words about what was done. ".repeat(200)}\n${"A line\n".repeat(400)}`.slice(0, 10_000);
    const address_line1 = "Building\n".repeat(100);
    await studio.must("POST", "/customers", {
      customer: { external_id: "patient", ...BUYER, address_line1, currency: "EUR" },
    });
    const add_on = {
      name: "Consulting",
      code: "consulting",
      description,
      amount_cents: 20_000,
      amount_currency: "EUR",
    };
    await studio.must("POST", "/add_ons", { add_on });
    const fees = [{ add_on_code: "consulting", units: 1 }];
    const { invoice } = await studio.must("POST", "/invoices", {
      invoice: { external_customer_id: "patient", currency: "EUR", fees },
    });
    return `/invoices/${invoice.svc_id}`;
  },
};
