/** Has the YAML library read plain words as runtime/schema/yaml/yaml-scalars.ts does. */
import type { ScalarTag, Tags } from 'yaml';
import { FLOAT, INTEGER, integerValue, TAG_PREFIX, taggedScalar } from '../../../runtime/schema/yaml/yaml-scalars.ts';

const INTEGERS: ScalarTag = { default: true, tag: `${TAG_PREFIX}int`, test: INTEGER, resolve: integerValue };
const FLOATS: ScalarTag = { default: true, tag: `${TAG_PREFIX}float`, test: FLOAT, resolve: (text) => Number(text.replaceAll('_', '')) };
const BINARY: ScalarTag = { tag: `${TAG_PREFIX}binary`, resolve: (text) => taggedScalar(text, `${TAG_PREFIX}binary`) };

/** Of version 1.1, the parser's own reading stays for collections, texts, nothing, booleans, infinities and merged maps. */
const KEPT: ReadonlySet<string> = new Set(['map', 'seq', 'str', 'null', 'bool', 'merge'].map((name) => TAG_PREFIX + name));

/**
 * @param tags the tags of version 1.1
 * @returns the tags to read with
 */
export function scalarTags(tags: Tags): Tags {
  const kept = tags.filter((tag) => typeof tag === 'object' && (KEPT.has(tag.tag) || ('test' in tag && tag.test?.test('.inf') === true)));
  return [...kept, INTEGERS, FLOATS, BINARY];
}
