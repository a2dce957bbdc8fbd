"""Sites of Docusaurus, Eleventy and Astro whose settings are code: what they do not publish, and what they do."""

from support.private_site import PrivateSite

DATED = "date: 2024-05-06\n"
DOCUSAURUS_VERSIONS = PrivateSite(
    "docusaurus-versions",
    private={
        "docs/ahead.md": DATED,
        "blog/2020-01-01-off.md": "x: y",
        "src/components/part.mdx": DATED,
        "src/pages/_aside.md": DATED,
        "versioned_docs/version-0.9/old.md": DATED,
        "versioned_docs/version-2.0/chosen-not.md": DATED,
        "i18n/de/docusaurus-plugin-content-docs/version-1.0/fremd.md": DATED,
        "i18n/fr/docusaurus-plugin-content-docs/current/devant.md": DATED,
        "i18n/fr/docusaurus-plugin-content-blog/2020-01-01-eteint.md": "x: y",
        "notes/loose.md": DATED,
        "community/team/inside.md": DATED,
        "community/one.txt.md": DATED,
    },
    public={
        "versioned_docs/version-1.0/begin.md": DATED,
        "i18n/fr/docusaurus-plugin-content-docs/version-1.0/debut.md": DATED,
        "src/pages/help.md": DATED,
        "community/people/shown.mdx": DATED,
        "log/2020-02-02-second-blog.md": "x: y",
    },
    settings={
        "versions.json": '["2.0", "1.0"]',
        "docusaurus.config.ts": """import type {Config} from '@docusaurus/types';
const only = ['1.0', 'current'];
const config: Config = {
  i18n: {defaultLocale: 'en', locales: ['en', 'fr']},
  presets: [['classic', {
    docs: {includeCurrentVersion: false, onlyIncludeVersions: only, sidebarPath: require.resolve('./sidebars.js')},
    blog: false, // blog: {path: 'blog'}
  }]],
  plugins: [
    ['@docusaurus/plugin-content-docs', {id: 'community', path: './community', include: ['**/*.mdx']}],
    ['@docusaurus/plugin-content-blog', {id: 'second', path: './log', routeBasePath: 'log'}],
  ],
};
export default config;
""",
    },
)
ELEVENTY_FOLDERS = PrivateSite(
    "eleventy-folders",
    private={
        "src/parts/piece.md": DATED,
        "src/frames/frame.md": DATED,
        "src/values/value.md": DATED,
        "out/made.md": DATED,
        "src/later/deep/idea.md": DATED,
        "src/left/out.md": DATED,
        "src/by-code/esm.md": DATED,
        "src/by-function/hidden.md": DATED,
        "src/posts/beside.md": DATED,
        "src/posts/over.md": DATED,
        "src/posts/unbuilt.md": DATED + "permalink: {build: false}",
        "outside.md": DATED,
    },
    public={
        "src/posts/shown.md": DATED,
        "src/by-code/open.md": DATED + "draft: false",
        "src/posts/posts.md": DATED,
    },
    settings={
        "eleventy.config.mjs": """export default function (eleventyConfig) {
  eleventyConfig.ignores.add("src/later/**");
  eleventyConfig.setLayoutsDirectory("frames");
  eleventyConfig.addFilter("x", (s) => s.replace(/[{}"']/g, ""));
}
export const config = { dir: { input: 'src', includes: "parts", data: `values`, output: "out" } };
""",
        "src/.eleventyignore": "left/\n",
        "src/by-code/by-code.11tydata.mjs": "export default { draft: true };\n",
        "src/by-function/by-function.11tydata.js": "module.exports = () => ({ permalink: false });\n",
        "src/posts/posts.json": '{"draft": false}',
        "src/posts/beside.json": '{"draft": true}',
        "src/posts/over.11tydata.cjs": "const draft = true;\nmodule.exports = { draft, title: fn() };\n",
    },
)
ASTRO_COLLECTIONS = PrivateSite(
    "astro-collections",
    private={
        "src/content/blog/private/x-inner.md": DATED,
        "src/content/blog/y-draft.md": DATED + "draft: true",
        "src/content/authors/ann.md": DATED,
        "src/notes/_under.md": DATED,
        "src/notes/deep/z-below.md": DATED,
        "src/components/about-this.md": DATED,
        "todo.md": DATED,
    },
    public={"src/content/blog/shown.md": DATED, "src/notes/kept.md": DATED, "src/pages/page-shown.md": DATED},
    settings={
        "astro.config.mjs": "import {defineConfig} from 'astro/config';\nexport default defineConfig({});\n",
        "src/content.config.ts": """import { defineCollection, z } from 'astro:content';
import { glob } from 'astro/loaders';
const blog = defineCollection({
  loader: glob({ pattern: ['**/*.{md,mdx}', '!**/private/**'], base: './src/content/blog' }),
  schema: z.object({ title: z.string() }),
});
const notes = defineCollection({ loader: glob({ pattern: '[^_]*.md', base: 'src/notes' }) });
const authors = defineCollection({ type: 'data' });
export const collections = { blog, notes, authors };
""",
        "src/pages/blog/[...slug].astro": "---\nconst posts = await getCollection('blog');\n---\n",
        "src/pages/notes/[id].astro": "---\nconst notes = await getCollection('notes', (n) => !n.data.draft);\n---\n",
    },
)
ELEVENTY_COMPUTED = PrivateSite(
    "eleventy-computed",
    private={
        "posts/never.md": DATED + "eleventyComputed: {permalink: false}",
        "posts/front.md": "===\n---js\n{title: 'WORD', eleventyComputed: {permalink: (data) => false}}\n---\n"
        "Text WORD.\n",
        "posts/hushed.md": DATED + "hushed: true",
        "posts/unready.md": DATED + "ready: false",
        "posts/quiet.md": DATED + "quiet: true",
        "posts/staged.md": DATED + "stage_of: early",
        "posts/blocked.md": DATED + "ready: true\nblocked: true",
        "by-call/guess.md": DATED,
        "by-code/here.md": DATED,
    },
    public={
        "posts/shown.md": DATED + "ready: true",
        "posts/staged-well.md": DATED + "ready: true\nstage_of: late",
        "by-code/open.md": DATED + "ready: true\nwords: enough",
        "posts/ahead.md": DATED + "ready: true\nblocked: false",
    },
    settings={
        "eleventy.config.js": """export default function (eleventyConfig) {
  eleventyConfig.addGlobalData("eleventyComputed.permalink", function () {
    return (data) => {
      if (data.hushed && !process.env.BUILD_DRAFTS) { return false; }
      if (data.page.date > new Date()) return false;
      return data.ready ? data.permalink : false;
    };
  });
  const hide = ({quiet}) => quiet ? true : false;
  eleventyConfig.addGlobalData("eleventyComputed.eleventyExcludeFromCollections", () => hide);
  eleventyConfig.addPreprocessor("early", "*", (data, content) => {
    if (data.stage_of === "early" || data.blocked === true) { return false; }
  });
}
""",
        "by-call/by-call.11tydata.js": "module.exports = {eleventyComputed: {permalink: d => ok(d) ? d.x : false}};\n",
        "by-code/by-code.11tydata.js": "module.exports = {\n"
        "  eleventyComputed: { permalink(data) { if (!data.words) return false; return `/${data.page.fileSlug}/`; } },"
        "\n};\n",
    },
)
WIKI = PrivateSite(
    "wiki",
    private={"_Sidebar.md": DATED, "_Footer.md": DATED},
    public={"Home.md": DATED, "Two-Words.md": DATED},
)
JAVASCRIPT_SITES = (WIKI, ELEVENTY_COMPUTED, DOCUSAURUS_VERSIONS, ELEVENTY_FOLDERS, ASTRO_COLLECTIONS)
