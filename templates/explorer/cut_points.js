// Hierarchies of intervals, as the policy has them on one line and as the page's fields have them.

export const CUTS = { widths: "Widths, level by level", offset: "Cut points begin at", bottom: "One interval below", top: "One interval from" };

// Reads a hierarchy of intervals as the policy has it on one line; null for any other.
export function intervals(text) {
  const plain = /^\{intervals: \[([^\]]*)\]\}$/.exec(text);
  if (plain) return { widths: plain[1] };
  const options = /^\{intervals: \{(.*)\}\}$/.exec(text)?.[1];
  if (!options) return null;
  const found = { widths: /widths: \[([^\]]*)\]/.exec(options)?.[1] };
  for (const [, name, value] of options.matchAll(/(offset|bottom|top): ([^,{}]+)/g)) found[name] = value.trim();
  return found.widths === undefined ? null : found;
}

export function written({ widths, ...others }) {
  const more = Object.entries(others).filter(([, value]) => value);
  if (!more.length) return `{intervals: [${widths}]}`;
  return `{intervals: {widths: [${widths}], ${more.map(([name, value]) => `${name}: ${value}`).join(", ")}}}`;
}
