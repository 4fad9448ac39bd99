/** Takes out of a schema what no server would take: rules that may cost too much, defaults that the rest does not allow. */
import type { CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import { versionFindings } from '../../../runtime/custom-resources/version-findings.ts';
import { requireMember, type SchemaNode, type SchemaRule, type TellLoss } from './schema-node.ts';

/** Of a definition. */
const MOST_FIELDS = 8;

/** Each look takes something out, so there is a last one. @param version its schema is changed. @returns what is left of it */
export function withoutRefused(version: CustomVersion, tell: TellLoss): CustomVersion {
  const root = version.schema?.openAPIV3Schema as SchemaNode;
  for (let look = 0; ; look++) {
    completeKeys(root);
    const findings = versionFindings(version).filter(({ field }) => !field.startsWith(FIELDS));
    if (findings.length === 0) return withSelectableFields(version, tell);
    // What is too much in all may fit when what is too much by itself has gone.
    const [together, alone] = [findings.filter(isOfAll), findings.filter((each) => !isOfAll(each))];
    const dropped: Finding[] = alone.filter((each) => drop(root, each, tell));
    if (dropped.length === 0) dropped.push(...someOf(together, look).filter((each) => drop(root, each, tell)));
    if (dropped.length === 0) throw new Error(findings.map(({ field, message }) => `${field}: ${message}`).join('\n'));
  }
}

/** Looks cost most: what is too much in all goes in few of them. */
const CAREFUL_LOOKS = 10;

function someOf(findings: readonly Finding[], look: number): readonly Finding[] {
  const rules = findings.filter(({ field }) => field.includes('x-kubernetes-validations['));
  return look < CAREFUL_LOOKS ? rules.slice(0, Math.ceil(rules.length / 4)) : rules;
}

const FIELDS = 'selectableFields';

function withSelectableFields({ selectableFields = [], ...version }: CustomVersion, tell: TellLoss): CustomVersion {
  const allowed = selectableFields.filter((field, index) => {
    const isAllowed = !versionFindings({ ...version, selectableFields: [field] }).some((finding) => finding.field.startsWith(FIELDS));
    if (!isAllowed || index >= MOST_FIELDS) tell(field.jsonPath.slice(1), 'cannot be selected by');
    return isAllowed && index < MOST_FIELDS;
  });
  return allowed.length === 0 ? version : { ...version, selectableFields: allowed };
}

interface Finding {
  readonly field: string;
  readonly message: string;
}

const isOfAll = ({ message }: Finding): boolean => message.includes('entire OpenAPIv3 schema');

interface Found {
  readonly node: SchemaNode;
  readonly parent: { readonly node: SchemaNode; readonly name: string } | undefined;
  /** such as `spec.ports[].name` */
  readonly path: string;
  /** what follows in the finding's path */
  readonly rest: string;
}

const PLACE = /^schema\.openAPIV3Schema/;
const STEP = /^\.(?:properties\[([^\]]+)\]|(items|additionalProperties))/;

function find(root: SchemaNode, field: string): Found | undefined {
  let rest = field.replace(PLACE, '');
  if (rest === field) return undefined;
  let found: Omit<Found, 'rest'> = { node: root, parent: undefined, path: '' };
  for (let match = STEP.exec(rest); match !== null; match = STEP.exec(rest)) {
    const [step, name, nested] = match;
    const { node, path } = found;
    const next = name === undefined ? node[nested as 'items'] : node.properties?.[name];
    if (next === undefined) return undefined;
    const way = nested === 'items' ? `${path}[]` : `${path}${path === '' ? '' : '.'}${name ?? '*'}`;
    found = { node: next, parent: name === undefined ? undefined : { node, name }, path: way };
    rest = rest.slice(step.length);
  }
  return { ...found, rest };
}

/** @returns whether something was taken out */
function drop(root: SchemaNode, { field, message }: Finding, tell: TellLoss): boolean {
  const found = find(root, field);
  if (found === undefined) return false;
  const { node, parent, path, rest } = found;
  if (rest.startsWith('.default')) {
    if (node.default === undefined) return false;
    // What the default would lack is missing now.
    if (parent !== undefined && node.required !== undefined) requireMember(parent.node, parent.name);
    delete node.default;
    return true;
  }
  const index = /^\.x-kubernetes-validations\[(\d+)\]/.exec(rest)?.[1];
  const rules = node['x-kubernetes-validations'] ?? [];
  const rule = index === undefined ? undefined : rules[Number(index)];
  if (rule === undefined) return false;
  const left = rules.filter((each) => each !== rule);
  if (left.length === 0) delete node['x-kubernetes-validations'];
  else node['x-kubernetes-validations'] = left;
  tell(path, `is constrained by a rule that a server would refuse: ${textOf(rule)} (${shortened(message)})`);
  return true;
}

const textOf = ({ message, rule }: SchemaRule): string => message ?? rule;
const shortened = (message: string): string => message.split(' (')[0]?.slice(0, 200) ?? '';

/** What tells elements of a list apart is there, or has a default. */
function completeKeys(node: SchemaNode): void {
  const { items, properties = {}, additionalProperties } = node;
  const keys = node['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  for (const key of keys ?? [])
    if (items?.properties?.[key] !== undefined && items.properties[key].default === undefined) requireMember(items, key);
  for (const each of [items, additionalProperties, ...Object.values(properties)]) if (each !== undefined) completeKeys(each);
}
