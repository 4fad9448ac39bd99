/**
 * How plain words of YAML are read: as the library of 1.32 does, which keeps of version 1.1 what people write and leaves the rest as texts.
 * So a time of day and a date are texts, a number may have underscores, and `0644` is octal.
 */
import type { ScalarTag, Tags } from 'yaml';

const INTEGER: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:int',
  test: /^[-+]?(?:0_*|0[bB](?=_*[01])[01_]+|0[oO]?(?=_*[0-7])[0-7_]+|0[xX](?=_*[0-9a-fA-F])[0-9a-fA-F_]+|[1-9][0-9_]*)$/,
  resolve(text) {
    const digits = text.replace(/^[-+]|_/g, '');
    const value = BigInt(/^0[0-7]/.test(digits) ? `0o${digits.slice(1)}` : digits.toLowerCase());
    return text.startsWith('-') ? -value : value;
  },
};

const FLOAT: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^[-+]?(?:\.(?=_*[0-9])[0-9_]+|[0-9][0-9_]*(?:\.[0-9_]*)?)(?:[eE][-+]?(?=_*[0-9])[0-9_]+)?$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

const BINARY: ScalarTag = {
  tag: 'tag:yaml.org,2002:binary',
  resolve(text, onError) {
    const base64 = text.replace(/\s/g, '');
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(base64) || base64.length % 4 !== 0) onError('!!binary value contains invalid base64 data');
    return Buffer.from(base64, 'base64').toString('utf8');
  },
};

/** Of version 1.1, what stays as the parser has it: collections, texts, nothing, booleans, infinities, merged maps. */
const KEPT: ReadonlySet<string> = new Set(['map', 'seq', 'str', 'null', 'bool', 'merge'].map((name) => `tag:yaml.org,2002:${name}`));

/** @param tags those of version 1.1. @returns those to read with */
export function scalarTags(tags: Tags): Tags {
  const kept = tags.filter((tag) => typeof tag === 'object' && (KEPT.has(tag.tag) || ('test' in tag && tag.test?.test('.inf') === true)));
  return [...kept, INTEGER, FLOAT, BINARY];
}
