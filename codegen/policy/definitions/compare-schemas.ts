/**
 * Compares the schemas of custom kinds, node by node. A value that was taken and is refused now is an error. One that was refused and is taken now is a
 * warning,
 * for clients that read it.
 */
import { isObject, type JsonObject, objectAt } from '../../read/sources.ts';
import { isEqual } from '../elements/constraints.ts';
import { shown } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import type { SchemaNode } from './definition.ts';

/**
 * @param keyword the keyword that differs, such as `pattern`; '' if it is the member as a whole
 * @param path the member, such as `spec.ports[].name`; '' for the object itself
 */
export type TellNode = (code: PolicyCode, path: string, keyword: string, was: string, is: string) => void;

export function compareSchemas(before: SchemaNode, after: SchemaNode, tell: TellNode): void {
  compareNode(withMetadata(before), withMetadata(after), '', tell);
}

/** Every object has a name, so a schema that begins to state something about it constrains what was free. */
function withMetadata(schema: SchemaNode): SchemaNode {
  const properties = objectAt(schema, 'properties');
  const metadata = objectAt(properties, 'metadata');
  const stated = objectAt(metadata, 'properties');
  const names = ['name', 'generateName'].map((name) => [name, { type: 'string', ...objectAt(stated, name) }]);
  const known = { type: 'object', ...metadata, properties: { ...stated, ...Object.fromEntries(names) } };
  return { ...schema, properties: { ...properties, metadata: known } };
}

type TellHere = (code: PolicyCode, keyword: string, was: unknown, is: unknown) => void;

function compareNode(before: SchemaNode, after: SchemaNode, path: string, tell: TellNode): void {
  const here: TellHere = (code, keyword, was, is) => tell(code, path, keyword, shown(was), shown(is));
  compareForm(before, after, here);
  compareValues(before, after, here);
  compareLimits(before, after, here);
  compareCombinations(before, after, here);
  compareRules(before, after, here);
  compareOwnership(before, after, here);
  if ((before.description ?? '') !== (after.description ?? '')) here('CP130', 'description', before.description, after.description);
  compareMembers(before, after, path, tell, here);
}

function compareForm(before: SchemaNode, after: SchemaNode, here: TellHere): void {
  for (const keyword of ['type', 'format', 'x-kubernetes-int-or-string'])
    if (!isEqual(before[keyword], after[keyword])) here('CP111', keyword, before[keyword], after[keyword]);
  const [wasNull, isNull] = [before.nullable === true, after.nullable === true];
  if (wasNull !== isNull) here(wasNull ? 'CP132' : 'CP131', 'nullable', wasNull, isNull);
  if (!isEqual(before.default, after.default)) here('CP117', 'default', before.default, after.default);
  flag(before, after, 'x-kubernetes-embedded-resource', here);
  // A member that the schema does not name is dropped, unless this keyword keeps it.
  const [kept, keeps] = [before, after].map((node) => node['x-kubernetes-preserve-unknown-fields'] === true);
  if (kept !== keeps) here(kept ? 'CP119' : 'CP131', 'x-kubernetes-preserve-unknown-fields', kept, keeps);
}

/** Compares a keyword that constrains where it is true. */
function flag(before: SchemaNode, after: SchemaNode, keyword: string, here: TellHere): void {
  const [was, is] = [before[keyword] === true, after[keyword] === true];
  if (was !== is) here(is ? 'CP119' : 'CP131', keyword, was, is);
}

function compareValues(before: SchemaNode, after: SchemaNode, here: TellHere): void {
  const [old, now] = [valuesOf(before), valuesOf(after)];
  if (old === undefined && now === undefined) return;
  if (old === undefined) return here('CP116', 'enum', undefined, after.enum);
  if (now === undefined) return here('CP131', 'enum', before.enum, undefined);
  const gone = old.filter((value) => !now.some((each) => isEqual(each, value)));
  const added = now.filter((value) => !old.some((each) => isEqual(each, value)));
  if (gone.length > 0) here('CP115', 'enum', gone, 'none of them');
  if (added.length > 0) here('CP131', 'enum', 'none of them', added);
}

function valuesOf({ enum: values }: SchemaNode): unknown[] | undefined {
  return Array.isArray(values) ? values : undefined;
}

const UPPER = ['maximum', 'maxLength', 'maxItems', 'maxProperties'];
const LOWER = ['minimum', 'minLength', 'minItems', 'minProperties'];

function compareLimits(before: SchemaNode, after: SchemaNode, here: TellHere): void {
  for (const keyword of [...UPPER, ...LOWER]) {
    const [was, is] = [before[keyword], after[keyword]];
    if (isEqual(was, is)) continue;
    const isTighter =
      is !== undefined && (was === undefined || (UPPER.includes(keyword) ? Number(is) < Number(was) : Number(is) > Number(was)));
    here(isTighter ? 'CP119' : 'CP131', keyword, was, is);
  }
  for (const keyword of ['exclusiveMaximum', 'exclusiveMinimum', 'uniqueItems']) flag(before, after, keyword, here);
  for (const keyword of ['pattern', 'multipleOf', 'not'])
    if (!isEqual(before[keyword], after[keyword]))
      here(after[keyword] === undefined ? 'CP131' : 'CP119', keyword, before[keyword], after[keyword]);
}

/** Every schema of `allOf` constrains. One more alternative of `oneOf` may make two of them fit, which is refused. */
function compareCombinations(before: SchemaNode, after: SchemaNode, here: TellHere): void {
  for (const keyword of ['allOf', 'anyOf', 'oneOf']) {
    const [old, now] = [before, after].map((node) => (Array.isArray(node[keyword]) ? (node[keyword] as unknown[]) : [])) as [
      unknown[],
      unknown[],
    ];
    const gone = old.filter((each) => !now.some((other) => isEqual(other, each)));
    const added = now.filter((each) => !old.some((other) => isEqual(other, each)));
    const constrains = keyword === 'allOf' || old.length === 0;
    if (gone.length > 0) here(keyword === 'allOf' || now.length === 0 ? 'CP131' : 'CP119', keyword, gone, 'not there');
    if (added.length > 0) here(constrains || keyword === 'oneOf' ? 'CP119' : 'CP131', keyword, 'not there', added);
  }
}

/** Compares rules in the expression language and their reasons, but not their messages. */
function compareRules(before: SchemaNode, after: SchemaNode, here: TellHere): void {
  const keyword = 'x-kubernetes-validations';
  const [old, now] = [rulesOf(before[keyword]), rulesOf(after[keyword])];
  for (const { is, text } of old) if (!now.some((each) => each.is === is)) here('CP131', keyword, text, undefined);
  for (const { is, text } of now) if (!old.some((each) => each.is === is)) here('CP119', keyword, undefined, text);
  for (const { is, reason } of old) {
    const reasons = now.filter((each) => each.is === is).map((each) => each.reason);
    if (reasons.length > 0 && !reasons.includes(reason)) here('CP134', keyword, reason, reasons[0]);
  }
}

interface Rule {
  /** what makes it the same rule: its text, and whether it also holds for new objects */
  readonly is: string;
  readonly text: unknown;
  readonly reason: unknown;
}

function rulesOf(rules: unknown): Rule[] {
  return (Array.isArray(rules) ? rules : []).filter(isObject).map(({ rule, optionalOldSelf = false, reason = 'FieldValueInvalid' }) => ({
    is: JSON.stringify([rule, optionalOldSelf]),
    text: rule,
    reason,
  }));
}

function compareOwnership(before: SchemaNode, after: SchemaNode, here: TellHere): void {
  const usual: JsonObject = { 'x-kubernetes-list-type': 'atomic', 'x-kubernetes-map-type': 'granular' };
  for (const keyword of ['x-kubernetes-list-type', 'x-kubernetes-list-map-keys', 'x-kubernetes-map-type']) {
    const [was, is] = [before[keyword] ?? usual[keyword], after[keyword] ?? usual[keyword]];
    if (!isEqual(was, is)) here('CP120', keyword, was, is);
  }
}

function compareMembers(before: SchemaNode, after: SchemaNode, path: string, tell: TellNode, here: TellHere): void {
  const [old, now] = [objectAt(before, 'properties'), objectAt(after, 'properties')];
  const below = (name: string): string => (path === '' ? name : `${path}.${name}`);
  for (const [name, node] of Object.entries(old)) {
    const same = now[name];
    if (isObject(node) && isObject(same)) compareNode(node, same, below(name), tell);
    else if (!keepsUnknown(after)) tell('CP110', below(name), '', shown(typeText(node)), 'not there');
  }
  if (keepsUnknown(before))
    for (const [name, node] of Object.entries(now))
      if (old[name] === undefined && !takesEverything(node)) tell('CP119', below(name), '', 'any value', shown(typeText(node)));
  const required = (node: SchemaNode): string[] => (Array.isArray(node.required) ? node.required.map(String) : []);
  for (const name of required(after).filter((each) => !required(before).includes(each))) {
    const hasDefault = isObject(now[name]) && now[name].default !== undefined;
    here(hasDefault ? 'CP133' : 'CP118', '', `${name} may be absent`, `${name} is required`);
  }
  compareWithin(before.items, after.items, `${path}[]`, 'items', tell, here);
  compareWithin(before.additionalProperties, after.additionalProperties, below('*'), 'additionalProperties', tell, here);
}

/** Compares schemas of the elements of a list, or of the values of a map. In place of a schema, true takes everything. */
function compareWithin(before: unknown, after: unknown, path: string, keyword: string, tell: TellNode, here: TellHere): void {
  if (isObject(before) && isObject(after)) return compareNode(before, after, path, tell);
  const taken = (schema: unknown): boolean => schema !== undefined && schema !== false;
  if (isEqual(before, after) || (!taken(before) && !taken(after))) return;
  const wider = !taken(before) || after === true;
  here(wider ? 'CP131' : 'CP119', keyword, before, after);
}

function keepsUnknown(node: SchemaNode): boolean {
  return node['x-kubernetes-preserve-unknown-fields'] === true;
}

/** Keywords of a member that say neither what it may be nor what is dropped of it. */
const TAKES_EVERYTHING = ['description', 'title', 'externalDocs', 'example', 'nullable', 'x-kubernetes-preserve-unknown-fields'];

function takesEverything(node: unknown): boolean {
  return isObject(node) && keepsUnknown(node) && Object.keys(node).every((keyword) => TAKES_EVERYTHING.includes(keyword));
}

function typeText(node: unknown): unknown {
  return isObject(node) ? (node.type ?? 'any value') : node;
}
