/*
 * The page in a real browser: what it draws, filters and links to, by mouse and by keyboard; that it asks for nothing, and
 * that no text of artefacts runs. Skipped where there is no browser: set CHROMIUM_PATH.
 */

import { pathToFileURL } from "node:url";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import {
  type Change,
  type ExplainResult,
  type Finding,
  type RenderHtmlOptions,
  type Verdict,
  explain,
  renderHtml,
} from "../../../lib/explain";
import { folderOf, synthesized } from "../../fixtures/explain/artefacts";
import { browserPath, launched } from "../../support/browser";

if (browserPath === undefined)
  console.warn("no browser was found: the page is not tested in one (CHROMIUM_PATH)");

function pull(number: number, verdict: Verdict, texts: Partial<ExplainResult> = {}): ExplainResult {
  const [team, name] = [`team-${number % 3}`, `app-${number}`];
  const status = verdict === "allowed" ? "pass" : verdict === "denied" ? "fail" : "unknown";
  const provider = number % 2 === 0 ? "aws_iam_role" : "azurerm_role_assignment";
  const source = { file: "cdk.tf.json", path: `resource.${provider}.${name}` };
  const passed = { status: "pass", evidence: [], remedy: "" } as const;
  return {
    ...{
      job: "image-pull",
      stack: "prod",
      subject: `${team}/${name}`,
      target: `registry.example.com/apps/${name}`,
    },
    verdict,
    as: verdict === "allowed" ? `role-${name}` : null,
    checks: [
      { id: "service-account-present", reason: `${team}/${name} exists`, ...passed },
      { id: "audience-granted", reason: "nodes may request tokens", ...passed },
      { id: "issuer-trusted", reason: "https://issuer.example.com is trusted", ...passed },
      { id: "subject-admitted", reason: `${team}/${name} is admitted`, ...passed },
      {
        id: "repository-permitted",
        status,
        reason: `about apps/${name}`,
        remedy: "grant it",
        evidence: [{ text: "policy", source }],
      },
    ],
    ...texts,
  };
}

const RESULTS = Array.from({ length: 12 }, (_, number) =>
  pull(number, number % 4 === 0 ? "denied" : number % 4 === 1 ? "unknown" : "allowed"),
);

/** How much text and background differ, in the browser. Source: WCAG 2.2, "contrast ratio" and "relative luminance". */
const RATIOS = `(() => {
  const luminance = (colour) => {
    const [r, g, b] = colour.match(/[\\d.]+/g).map((each) => {
      const part = Number(each) / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const backgroundOf = (element) => {
    const colour = element ? getComputedStyle(element).backgroundColor : "rgb(255, 255, 255)";
    return element && /, 0\\)$/.test(colour) ? backgroundOf(element.parentElement) : colour;
  };
  return [...document.querySelectorAll("h1, .lead, td, .word, .box, .asks, caption, button")].map((each) => {
    const [one, other] = [luminance(getComputedStyle(each).color), luminance(backgroundOf(each))];
    return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
  });
})()`;

describe.skipIf(browserPath === undefined)("the page in a browser", () => {
  let browser: Browser;
  let page: Page;
  let said: string[] = [];
  let requests: string[] = [];

  beforeAll(async () => {
    browser = await launched();
  }, 60_000);
  afterAll(() => browser.close());
  afterEach(async () => {
    // Whatever a test does, nothing is asked for and nothing is refused by the page's own policy.
    expect(said).toEqual([]);
    expect(requests.filter((url) => !url.startsWith("file:"))).toEqual([]);
    expect(requests.filter((url) => url.startsWith("file:")).length).toBeLessThanOrEqual(2);
    await page.close();
  });

  async function opened(
    results: readonly ExplainResult[],
    {
      fragment = "",
      width = 1280,
      ...options
    }: RenderHtmlOptions & { fragment?: string; width?: number } = {},
  ): Promise<string> {
    const folder = folderOf({ "page.html": [...renderHtml(results, options)].join("") });
    const url = pathToFileURL(join(folder, "page.html")).href;
    page = await browser.newPage({ viewport: { width, height: 900 } });
    [said, requests] = [[], []];
    page.on("console", (message) => void said.push(message.text()));
    page.on("pageerror", (error) => void said.push(String(error)));
    page.on("request", (request) => void requests.push(request.url()));
    await page.goto(url + fragment);
    return url;
  }

  const rows = (): Promise<number> => page.locator("tbody tr:not(.chain)").count();

  it("draws every result, in the order of verdicts, and the map in lanes", async () => {
    await opened(RESULTS);
    // Allowed ones are folded until they are asked for.
    expect(await rows()).toBe(6);
    await page.getByRole("button", { name: "Show 6 allowed too" }).click();
    expect(await rows()).toBe(12);
    expect(await page.locator("tbody tr").first().getAttribute("data-verdict")).toBe("denied");
    expect(await page.locator(".lane h3").allTextContents()).toEqual(["AWS", "Azure"]);
    expect(await page.locator(".box.fail").count()).toBeGreaterThan(0);
    // A broken line ends in a cross before the box.
    expect(await page.locator("text.broken").count()).toBe(1);
    expect(await page.locator("path.line").count()).toBeGreaterThan(10);
  });

  it("filters by words, namespace, cloud, verdict and cause, and the address says what was chosen", async () => {
    const url = await opened(RESULTS);
    await page.fill("#by-q", "APP-1");
    expect(await rows()).toBe(3);
    expect(page.url()).toBe(`${url}#q=APP-1`);
    await page.fill("#by-q", "");
    await page.selectOption("#by-ns", "team-1");
    expect(await rows()).toBe(4);
    await page.selectOption("#by-verdict", "denied");
    expect(await rows()).toBe(1);
    await page.selectOption("#by-cause", "none");
    expect(await rows()).toBe(0);
    await page.getByRole("button", { name: "Clear" }).click();
    await page.selectOption("#by-cloud", "Azure");
    expect(await rows()).toBe(6);
    expect(page.url()).toBe(`${url}#cloud=Azure`);
  });

  it("shows the same by its address", async () => {
    await opened(RESULTS, { fragment: "#verdict=unknown&sort=-subject&chain=10" });
    expect(await rows()).toBe(3);
    expect(await page.locator("button.open").allTextContents()).toEqual(
      ["team-1/app-1", "team-0/app-9", "team-2/app-5"].sort().reverse(),
    );
    const chain = await page.locator("#chain-10").textContent();
    expect(chain).toContain("about apps/app-9");
    expect(chain).toContain("May the identity read the repository?");
    expect(chain).toContain("resource.azurerm_role_assignment.app-9");
  });

  it("works by the keyboard: sorts, opens a chain, narrows to a box, and goes back", async () => {
    await opened(RESULTS);
    await page.getByRole("button", { name: "Service account", exact: true }).focus();
    await page.keyboard.press("Enter");
    expect(await page.locator("th[aria-sort]").getAttribute("aria-sort")).toBe("ascending");
    await page.locator("button.open").first().focus();
    await page.keyboard.press("Enter");
    expect(await page.locator("tr.chain").count()).toBe(1);
    expect(await page.evaluate<string>(`document.activeElement.getAttribute("aria-expanded")`)).toBe("true");
    await page.keyboard.press("Escape");
    expect(await page.locator("tr.chain").count()).toBe(0);
    const box = page.locator(".box", { hasText: "team-0/app-0" }).first();
    await box.focus();
    expect(await page.locator(".said").textContent()).toContain(
      "service-account-present: team-0/app-0 exists",
    );
    await page.keyboard.press("Enter");
    expect(await rows()).toBe(1);
    expect(await page.locator(".box").count()).toBe(6);
    await page.keyboard.press("Escape");
    expect(await rows()).toBe(6);
  });

  it("gives a Markdown table", async () => {
    await opened(RESULTS, { fragment: "#verdict=unknown" });
    await page.evaluate(
      `Object.defineProperty(navigator, "clipboard", { value: { writeText: (text) => { globalThis.copied = text; } } })`,
    );
    await page.getByRole("button", { name: "Copy as Markdown" }).click();
    const copied = await page.evaluate<string>("globalThis.copied");
    expect(copied.split("\n")[0]).toBe(
      "| verdict | stack | service account | target | as | does not hold at |",
    );
    expect(copied.split("\n")).toHaveLength(2 + 3 + 1);
  });

  it("is cards at 390 pixels, within the width, and shows words beside colours", async () => {
    await opened(RESULTS, { width: 390 });
    const width = await page.evaluate<number>("document.documentElement.scrollWidth");
    expect(width).toBeLessThanOrEqual(390);
    expect(await page.evaluate<string>(`getComputedStyle(document.querySelector("tbody td")).display`)).toBe(
      "block",
    );
    expect(await page.locator(".word").first().textContent()).toBe("✕ denied");
  });

  it("lists what changed within the width at 390 pixels, by stack, and where it is written once asked", async () => {
    const place = `main/cdktf.out/stacks/prod/cdk.tf.json:1 ${"aws_iam_role_policy_".repeat(9)}`;
    const change: Change = {
      kind: "added",
      job: "trust",
      about: "trust",
      stack: "prod",
      subject: "shop/web",
      target: "web",
      before: null,
      after: null,
      reason: "",
      removed: [{ text: place }],
      added: [{ text: place }],
    };
    await opened(RESULTS, { width: 390, comparison: { changes: [change] } });
    const item = page.locator("#what-changed ~ ol > li");
    expect(await item.textContent()).toContain("added prod: shop/web is newly trusted by web");
    expect(await item.locator("ul").isVisible()).toBe(false);
    await item.locator("summary").click();
    expect(await item.locator("ul").isVisible()).toBe(true);
    expect(await page.evaluate<number>("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });

  it.each(["light", "dark"] as const)("has enough contrast in %s", async (colorScheme) => {
    await opened(RESULTS);
    await page.emulateMedia({ colorScheme });
    const ratios = await page.evaluate<readonly number[]>(RATIOS);
    // Source: WCAG 2.2, 1.4.3, level AA.
    expect(Math.min(...ratios)).toBeGreaterThanOrEqual(4.5);
  });

  it("runs nothing and marks nothing up that artefacts hold", async () => {
    const nasty = `</script><img src=x onerror=alert(1)>"'&lt;\u202e<!--`;
    const results = [pull(1, "denied", { subject: `a/${nasty}`, target: nasty, stack: nasty, as: nasty })];
    const finding: Finding = {
      id: nasty,
      severity: "note",
      stack: nasty,
      subject: nasty,
      target: nasty,
      reason: nasty,
      evidence: [{ text: nasty }],
      remedy: nasty,
    };
    const change: Change = {
      kind: "added",
      job: "trust",
      about: "trust",
      stack: "",
      subject: nasty,
      target: nasty,
      before: null,
      after: null,
      reason: nasty,
      removed: [{ text: nasty }],
      added: [],
    };
    await opened(results, {
      audit: [finding],
      comparison: { changes: [change] },
      fragment: `#chain=1&q=${encodeURIComponent("<img")}`,
    });
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("#chain-1").textContent()).toContain("<img src=x onerror=alert(1)>");
    expect(await page.locator("#audit + div table").textContent()).toContain("\\u202e");
    expect(await page.locator("#what-changed ~ ol").textContent()).toContain("is newly trusted by");
  });

  it("says first what does not hold, one line for each reason, and counts what filters", async () => {
    const finding = (subject: string): Finding => ({
      id: "subject-wide",
      severity: "error",
      stack: "prod",
      subject,
      target: "",
      reason: `it admits more than ${subject}`,
      evidence: [],
      remedy: "",
    });
    await opened(RESULTS, { about: "main at 1a2b3c", audit: ["team-1/app-1", "team-2/app-2"].map(finding) });
    expect(await page.locator("header .where").textContent()).toBe("main at 1a2b3c; 12 pulls in stack prod");
    expect(await page.locator(".counter").allTextContents()).toEqual([
      ...["3 denied", "3 unknown", "6 allowed", "2 findings of the audit"],
    ]);
    expect(await page.locator(".problems strong").allTextContents()).toEqual([" 3 pulls ", " 3 pulls "]);
    await page.getByRole("button", { name: "Show", exact: true }).first().click();
    expect(await rows()).toBe(3 + 1);
    await page.getByRole("button", { name: "6 allowed" }).click();
    expect(await page.locator('tr[data-verdict="allowed"]').count()).toBe(6);
    // One row for findings that differ in whom they are about; they are searched with the rest.
    expect(await page.locator("#audit + div tbody tr").count()).toBe(1);
    await page.fill("#by-q", "app-2");
    expect(await page.locator("#audit + div caption").textContent()).toBe("1 of 2 findings");
  });

  it("gives both ends of a chain its verdict, and is one tab stop in each lane", async () => {
    await opened(RESULTS.slice(0, 2));
    const status = (name: string): Promise<string[]> =>
      page
        .locator(".box", { hasText: name })
        .evaluateAll((all) => all.map((each) => (each as { className: string }).className));
    expect(await status("app-0")).toEqual(["box fail", "box fail"]);
    expect(await status("app-1")).toEqual(["box unknown", "box unknown"]);
    expect(await page.locator('.box[tabindex="0"]').count()).toBe(2);
    await page.locator('.box[tabindex="0"]').first().focus();
    await page.keyboard.press("ArrowRight");
    expect(await page.evaluate<string>("document.activeElement.textContent")).toContain("audience-granted");
  });

  it("runs no other script, by its own policy", async () => {
    await opened(RESULTS);
    await page.evaluate(
      `const script = document.createElement("script"); script.textContent = "globalThis.ran = true"; document.body.append(script)`,
    );
    expect(await page.evaluate<boolean>(`"ran" in globalThis`)).toBe(false);
    expect(said.splice(0).join()).toContain("Content Security Policy");
  });

  it("shows examples as they are explained", async () => {
    const results = explain([folderOf(synthesized("three-clouds"))]);
    await opened(results);
    expect(results.every(({ verdict }) => verdict === "allowed")).toBe(true);
    expect(await rows()).toBe(results.length);
    expect(await page.locator(".box").count()).toBeGreaterThan(6);
  });

  it("is usable with 5,000 service accounts", async () => {
    const many = Array.from({ length: 5000 }, (_, number) =>
      pull(number, number % 7 === 0 ? "denied" : "allowed"),
    );
    const begin = performance.now();
    await opened(many);
    await page.locator("tbody tr").first().waitFor();
    const loaded = performance.now() - begin;
    expect(await rows()).toBe(100);
    await page.getByRole("button", { name: /^Show 100 more of 615/ }).click();
    expect(await rows()).toBe(200);
    await page.fill("#by-q", "app-4999");
    expect(await rows()).toBe(1);
    // Generous: a shared machine draws it in about two seconds.
    expect(loaded).toBeLessThan(30_000);
  }, 60_000);
});
