"use strict";
// Searches a static export in the browser. It reads only those parts of the index that the words of a query need.

const SHOWN = 20;
const LEAST_PREFIX = 3; // letters from which a word also finds longer ones
const PREFIX_SHARDS = 4;
const PREFIX_SHARE = 0.5; // what a longer word counts

const QUOTED = /["\u201c\u201d\u201e\u00ab\u00bb]([^"\u201c\u201d\u201e\u00ab\u00bb]+)["\u201c\u201d\u201e\u00ab\u00bb]/gu;
const READ = 60; // records whose text is read for a quoted passage
const ADDRESS = /https?:\/\/\S+|\]\([^)]*\)/gu;
const UNSPACED = /([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)/u; // kana, Han and Hangul

function wordsOf(text) {
  const runs = text.normalize("NFKC").toLowerCase().match(/[\p{L}\p{N}]+(?:[#+]+(?![\p{L}\p{N}]))?/gu) ?? [];
  const words = [];
  for (const part of runs.flatMap((run) => run.split(UNSPACED))) {
    if (!UNSPACED.test(part)) words.push(part);
    else for (let at = 0; at < Math.max(1, part.length - 1); at += 1) words.push(part.slice(at, at + 2));
  }
  return words.filter((word) => /[^#+]/u.test(word));
}

const nameOf = (key) => Array.from(key, (letter) => letter.codePointAt(0).toString(16)).join("-");

function shardsOf(word, keys) {
  // A shard holds the words that begin with its key, except those of shards with longer keys.
  const letters = Array.from(word);
  let own = "";
  for (let length = 1; length <= letters.length; length += 1) {
    const key = letters.slice(0, length).join("");
    if (keys.includes(key)) own = key;
  }
  const longer = letters.length < LEAST_PREFIX ? [] : keys.filter((key) => key !== word && key.startsWith(word));
  return [...(own ? [own] : []), ...longer.slice(0, PREFIX_SHARDS)];
}

async function scoresOf(word, index, load) {
  const scores = new Map();
  for (const key of shardsOf(word, index.shards)) {
    const shard = await load(`words/${nameOf(key)}.json`);
    for (const [other, postings] of Object.entries(shard)) {
      const whole = other === word;
      if (!whole && (word.length < LEAST_PREFIX || !other.startsWith(word))) continue;
      const rarity = Math.log(1 + index.records / (postings.length / 2));
      for (let place = 0; place < postings.length; place += 2) {
        const score = rarity * postings[place + 1] * (whole ? 1 : PREFIX_SHARE);
        scores.set(postings[place], Math.max(scores.get(postings[place]) ?? 0, score));
      }
    }
  }
  return scores;
}

const passagesOf = (query) =>
  Array.from(query.matchAll(QUOTED), (match) => wordsOf(match[1])).filter((words) => words.length > 0);

function holds(text, passage) {
  const words = wordsOf(text.replace(ADDRESS, " "));
  return words.some((_, at) => passage.every((word, step) => words[at + step] === word));
}

async function rowOf(record, index, load) {
  const part = await load(`records/${Math.floor(record / index.part) + 1}.json`);
  return part[record % index.part];
}

async function quoting(ranked, passages, index, load) {
  // The index knows no order of words, so the texts of the best records are read.
  const reads = ranked.slice(0, READ).map(async ([record]) => {
    const [address] = await rowOf(record, index, load);
    const [kind, slug] = address.split("/").slice(-3, -1);
    const { title, summary, body_markdown: body, readme_markdown: text = body } = await load(`../${kind}/${slug}.json`);
    return passages.every((passage) => [title, summary, text].some((part) => holds(part, passage)));
  });
  const answers = await Promise.all(reads);
  return ranked.filter((_, place) => answers[place]);
}

async function search(query, load) {
  const index = await load("index.json");
  const totals = new Map();
  const byWord = new Map();
  for (const word of new Set(wordsOf(query))) {
    const scores = await scoresOf(word, index, load);
    byWord.set(word, scores);
    for (const [record, score] of scores) totals.set(record, (totals.get(record) ?? 0) + score);
  }
  const passages = passagesOf(query);
  const wanted = passages.flat().filter((word) => byWord.get(word).size > 0); // common words are not indexed
  let ranked = [...totals].sort((one, other) => other[1] - one[1] || one[0] - other[0]);
  ranked = ranked.filter(([record]) => wanted.every((word) => byWord.get(word).has(record)));
  if (passages.length > 0) ranked = await quoting(ranked, passages, index, load);
  const records = [];
  for (const [record] of ranked.slice(0, SHOWN)) records.push(await rowOf(record, index, load));
  return { total: ranked.length, records };
}

function show(place, found) {
  const sentence = document.createElement("p");
  sentence.textContent =
    found.total === 0 ? "No record has these words. Check the spelling, try fewer words, or begin at a topic." : found.total === 1 ? "1 record matches." : `${found.total} records match.`;
  const list = document.createElement("ul");
  for (const [path, title, summary, day] of found.records) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = path;
    link.textContent = title;
    const about = document.createElement("p");
    about.textContent = `${summary} (${day})`;
    item.append(link, about);
    list.append(item);
  }
  place.replaceChildren(sentence, list);
}

const queryOf = (address) => address.get("query") || address.get("q") || "";

if (typeof document !== "undefined") {
  const base = document.currentScript.src;
  const parts = new Map();
  const load = (path) => {
    if (!parts.has(path)) {
      const fetched = fetch(new URL(path, base)).then((response) => {
        if (!response.ok) throw new Error(`${path}: ${response.status}`);
        return response.json();
      });
      parts.set(path, fetched);
    }
    return parts.get(path);
  };
  const query = queryOf(new URLSearchParams(location.search));
  const place = document.getElementById("results");
  document.getElementById("query").value = query;
  if (query) {
    search(query, load).then(
      (found) => show(place, found),
      () => {
        place.textContent = "The index cannot be read now. Try again later.";
      },
    );
  }
}
