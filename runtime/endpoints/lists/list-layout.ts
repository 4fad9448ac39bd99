/** How a list is laid out around its items: compact JSON for programs, indented JSON and YAML for people. */
import type { ApiObject } from '../../contract/object.ts';
import type { LongWork } from '../../registry/stored-objects/long-value.ts';
import { parseStoredJson } from '../../registry/stored-objects/parse-stored-json.ts';
import { encodeValue } from '../answers/respond.ts';
import { toYaml } from '../answers/yaml-text.ts';
import { indentedJson } from './indented-json.ts';

/** How items are written if not as compact JSON. */
export interface ItemLayout {
  readonly name: 'yaml' | 'indented' | 'cbor';
  readonly work: LongWork;
  readonly separator: string;
  /** Writes an item. @param json its compact JSON, valid during the call. @returns bytes that are valid until the next call */
  of(json: Buffer): Buffer;
}

export interface ListLayout {
  /** Returns the texts before the first item and behind the last one. @param list the list with one item, which is `STAND_IN` */
  around(list: ApiObject): readonly [string, string];
  /** absent if items are compact JSON with commas between them */
  readonly item?: ItemLayout;
  /** Writes a list without items. */
  empty(list: ApiObject): string;
}

/** Takes the place of an item. No other member of a list equals it. */
export const STAND_IN = { item: null };

/** The level of indentation of a list's items. */
const ITEM_DEPTH = 2;

const COMPACT: ListLayout = {
  around: (list) => split(encodeValue(list, 'json', false), JSON.stringify(STAND_IN)),
  empty: (list) => encodeValue(list, 'json', false),
};

const INDENTED_ITEM: ItemLayout = {
  name: 'indented',
  work: 'indenting',
  separator: `,\n${'  '.repeat(ITEM_DEPTH)}`,
  of: (json) => indentedJson(json, ITEM_DEPTH),
};

const INDENTED: ListLayout = {
  around: (list) => split(encodeValue(list, 'json', true), indentedJson(Buffer.from(JSON.stringify(STAND_IN)), ITEM_DEPTH).toString()),
  item: INDENTED_ITEM,
  empty: (list) => encodeValue(list, 'json', true),
};

const YAML_ITEM: ItemLayout = { name: 'yaml', work: 'yaml', separator: '', of: (json) => Buffer.from(toYaml([parseStoredJson(json)])) };

/** Members are sorted, so that what a list says of itself stands behind its items. */
const YAML: ListLayout = {
  around: (list) => split(encodeValue(list, 'yaml', false), toYaml([STAND_IN])),
  item: YAML_ITEM,
  empty: (list) => encodeValue(list, 'yaml', false),
};

/** The layouts of items by their names. */
export const ITEM_LAYOUTS = { yaml: YAML_ITEM, indented: INDENTED_ITEM } as const;

export function listLayout(encoding: 'json' | 'yaml', pretty: boolean): ListLayout {
  if (encoding === 'yaml') return YAML;
  return pretty ? INDENTED : COMPACT;
}

function split(text: string, item: string): [string, string] {
  const start = text.lastIndexOf(item);
  return [text.slice(0, start), text.slice(start + item.length)];
}
