// feedsmith on each file: node feeds.mjs FILE... prints {feeds: [{file, format, entries, fault}]}.
import { parseFeed } from "feedsmith";
import { readFile } from "node:fs/promises";

const feeds = [];
for (const file of process.argv.slice(2)) {
  try {
    const { format, feed } = parseFeed(await readFile(file, "utf8"));
    const entries = feed.entries ?? feed.items ?? [];
    const bare = entries.filter((one) => !(one.id ?? one.guid?.value ?? one.guid) || !(one.title ?? one.content_text) || !(one.links ?? one.link ?? one.url));
    const fault = !feed.title ? "the feed has no title" : bare.length ? `${bare.length} entries lack an id, a title or a link` : "";
    feeds.push({ file, format, entries: entries.length, fault });
  } catch (error) {
    feeds.push({ file, format: "", entries: 0, fault: String(error.message ?? error) });
  }
}
console.log(JSON.stringify({ feeds }));
