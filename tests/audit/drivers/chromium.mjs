// The one way the judges start Chromium: headless, quiet on the network, with a new empty profile.
export const FLAGS = [
  "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
  "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-dev-shm-usage",
];
export const executablePath = process.env.CHROME_PATH;
export const WIDTHS = [1280, 320];
export const SCHEMES = ["light", "dark"];

import { chromium } from "playwright-core";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Visit each path at each width in each colour scheme: `visit(page, {path, width, scheme})`. */
export async function visiting(base, paths, visit, { widths = WIDTHS, schemes = SCHEMES, height = 900 } = {}) {
  for (const width of widths) {
    for (const scheme of schemes) {
      const profile = await mkdtemp(join(tmpdir(), "citepress-audit-"));
      const context = await chromium.launchPersistentContext(profile, {
        executablePath, args: FLAGS, headless: true, bypassCSP: true, colorScheme: scheme, viewport: { width, height },
      });
      try {
        const page = await context.newPage();
        for (const path of paths) {
          await page.goto(base + path, { waitUntil: "load" });
          await visit(page, { path, width, scheme });
        }
      } finally {
        await context.close();
        await rm(profile, { recursive: true, force: true });
      }
    }
  }
}
