/** How the text of a list is laid out around its items: compact JSON for programs, indented JSON and YAML for people. */
import type { ApiObject } from '../../contract/object.ts';
import { parseStoredJson } from '../../registry/stored-object.ts';
import { encodeValue } from '../respond.ts';
import { toYaml } from '../yaml-text.ts';
import { indentedJson } from './indented-json.ts';

export interface ListLayout {
  readonly separator: string;
  /** The text before the first item and behind the last one, of a list with one item, which is `STAND_IN`. */
  around(list: ApiObject): readonly [string, string];
  /** What stands for an item, made of its compact JSON; absent: that itself. Its bytes are valid until the next call. */
  readonly item?: (json: Buffer) => Buffer;
  /** The list that has no items. */
  empty(list: ApiObject): string;
}

/** In the place of an item. Nothing else in a list's own members is like it. */
export const STAND_IN = { item: null };

/** Levels that the items of a list stand at. */
const ITEM_DEPTH = 2;

const COMPACT: ListLayout = {
  separator: ',',
  around: (list) => split(encodeValue(list, 'json', false), JSON.stringify(STAND_IN)),
  empty: (list) => encodeValue(list, 'json', false),
};

const INDENTED: ListLayout = {
  separator: `,\n${'  '.repeat(ITEM_DEPTH)}`,
  around: (list) => split(encodeValue(list, 'json', true), indentedJson(Buffer.from(JSON.stringify(STAND_IN)), ITEM_DEPTH).toString()),
  item: (json) => indentedJson(json, ITEM_DEPTH),
  empty: (list) => encodeValue(list, 'json', true),
};

/** Members are sorted, so that what a list says of itself stands behind its items. */
const YAML: ListLayout = {
  separator: '',
  around: (list) => split(encodeValue(list, 'yaml', false), toYaml([STAND_IN])),
  item: (json) => Buffer.from(toYaml([parseStoredJson(json)])),
  empty: (list) => encodeValue(list, 'yaml', false),
};

export function listLayout(encoding: 'json' | 'yaml', pretty: boolean): ListLayout {
  if (encoding === 'yaml') return YAML;
  return pretty ? INDENTED : COMPACT;
}

function split(text: string, item: string): [string, string] {
  const start = text.lastIndexOf(item);
  return [text.slice(0, start), text.slice(start + item.length)];
}
