/** What a reader would call broken, found by measuring. */
import type { Page } from "playwright-core";
import { expect } from "vitest";

/** For the browser: text that leaves its box, that ends without an ellipsis, and pages that move sideways. */
const FIND_BROKEN = `(() => {
  const found = [];
  const { scrollWidth, clientWidth } = document.documentElement;
  if (scrollWidth > clientWidth) found.push("the page is " + scrollWidth + " wide, of " + clientWidth);
  const isWide = (element) => element.scrollWidth > element.clientWidth + 1;
  for (const element of document.querySelectorAll("main *, aside *, [role=dialog] *")) {
    // Text for readers of the screen only has a pixel.
    if (element.clientWidth <= 1 || !isWide(element)) continue;
    const { overflowX, textOverflow } = getComputedStyle(element);
    if (overflowX === "auto" || overflowX === "scroll" || textOverflow === "ellipsis") continue;
    if (element.matches("input, select, svg, svg *")) continue;
    if ([...element.children].some((child) => child.clientWidth > 1 && isWide(child) && getComputedStyle(child).overflowX === "visible")) continue;
    found.push(element.tagName.toLowerCase() + "." + element.className + ": " + element.textContent.slice(0, 60));
  }
  return found;
})()`;

export async function expectFits(page: Page): Promise<void> {
  expect(await page.evaluate<string[]>(FIND_BROKEN), page.url()).toEqual([]);
}
