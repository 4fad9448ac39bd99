/** Takes out of a definition's schema what no server would take: rules that may cost too much, and defaults that the rest does not allow. */
import type { CustomVersion } from '../../../runtime/custom-resources/definition.ts';
import { versionFindings } from '../../../runtime/custom-resources/version-findings.ts';
import { requireMember, type SchemaNode, type SchemaRule, type TellLoss } from './schema-node.ts';

/** Greatest number of selectable fields that a version of a definition may have. */
const MOST_FIELDS = 8;

/**
 * Each look takes out at least one part, or throws, so there is a last one.
 * @param version its schema is changed in place
 * @returns the version with what is left
 * @throws Error if something that a server refuses cannot be taken out
 */
export function withoutRefused(version: CustomVersion, tell: TellLoss): CustomVersion {
  const root = version.schema?.openAPIV3Schema as SchemaNode;
  for (let look = 0; ; look++) {
    completeKeys(root);
    const findings = versionFindings(version).filter(({ field }) => !field.startsWith(FIELDS));
    if (findings.length === 0) return withSelectableFields(version, tell);
    // Rules that cost too much only together may fit once those that cost too much by themselves have gone.
    const [together, alone] = [findings.filter(isOfAll), findings.filter((each) => !isOfAll(each))];
    const dropped: Finding[] = alone.filter((each) => drop(root, each, tell));
    if (dropped.length === 0) dropped.push(...someOf(together, look).filter((each) => drop(root, each, tell)));
    if (dropped.length === 0) throw new Error(findings.map(({ field, message }) => `${field}: ${message}`).join('\n'));
  }
}

/** In the first looks, only a quarter of the rules that cost too much together is taken out, so that no more go than must. Later all go: looks are slow. */
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
  /** Path of the member, such as `spec.ports[].name`. */
  readonly path: string;
  /** What follows in the path of the finding behind the member's schema. */
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
    // The member that the default provided is required now, as it would be missing otherwise.
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

/** The keys that tell elements of a list apart must be required, or have a default. */
function completeKeys(node: SchemaNode): void {
  const { items, properties = {}, additionalProperties } = node;
  const keys = node['x-kubernetes-list-map-keys'] as readonly string[] | undefined;
  for (const key of keys ?? [])
    if (items?.properties?.[key] !== undefined && items.properties[key].default === undefined) requireMember(items, key);
  for (const each of [items, additionalProperties, ...Object.values(properties)]) if (each !== undefined) completeKeys(each);
}
