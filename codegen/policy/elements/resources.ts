/** Compares resources: names, scope, verbs, subresources, and what else requests rely on. */
import { resourcePlace } from '../../check/places.ts';
import type { GroupVersion, Model, ResourceModel } from '../../model/model.ts';
import { shown, type Violation } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import type { Stability } from '../stability.ts';
import { isOnByDefault, stabilityBehind } from './gates.ts';
import { isServed } from './kinds.ts';
import { documentPlace, groupVersionIn, type Step, stabilityIn } from './step.ts';

type Subresource = ResourceModel['subresources'][number];

interface Difference extends Pick<Violation, 'was' | 'is'> {
  /** Part of the resource that differs, such as `subresource scale`; absent if it is the resource as a whole. */
  readonly part?: string;
  readonly stability?: Stability;
}

type Tell = (code: PolicyCode, difference: Difference) => void;

/** Compares resources of kinds that both states serve. The lifecycles of the others are checked elsewhere. */
export function compareResources(step: Step): void {
  for (const groupVersion of step.before.groupVersions) {
    const later = groupVersionIn(step.after, groupVersion.folder);
    if (later === undefined) continue;
    if (later.group !== groupVersion.group) tellOtherGroup(step, groupVersion, later);
    for (const resource of groupVersion.resources) {
      const tell = tellOf(step, later, resource);
      const same = later.resources.find(({ name }) => name === resource.name);
      if (same !== undefined) compareResource(step, groupVersion, resource, same, tell);
      else if (isKindServed(later, resource.kind, step.after.release))
        tell('CP101', { was: `resource ${resource.name} of kind ${resource.kind}`, is: 'not there' });
    }
  }
}

/** In another group, all resources have other URLs, and every object has another `apiVersion`. */
function tellOtherGroup(step: Step, before: GroupVersion, after: GroupVersion): void {
  const kinds = before.types.filter(
    ({ name }) => isKindServed(before, name, step.before.release) && isKindServed(after, name, step.after.release),
  );
  for (const { name } of kinds)
    step.report.violation('CP107', {
      element: `${before.folder} ${name}`,
      at: documentPlace(after, 'x-cluster-group-version'),
      stability: stabilityIn(step, before),
      release: step.release,
      was: `of group ${shown(before.group)}`,
      is: `of group ${shown(after.group)}`,
    });
}

function isKindServed({ types }: GroupVersion, name: string, release: string): boolean {
  const type = types.find((each) => each.name === name);
  return type?.kind === 'struct' && type.topLevel && isServed(type, release);
}

function tellOf(step: Step, groupVersion: GroupVersion, resource: ResourceModel): Tell {
  const own = stabilityBehind(step.before, resource.featureGate, stabilityIn(step, groupVersion));
  return (code, { part, stability = own, was, is }) =>
    step.report.violation(code, {
      element: `${groupVersion.folder} ${resource.name}${part === undefined ? '' : ` ${part}`}`,
      at: resourcePlace(groupVersion, resource.name),
      stability,
      release: step.release,
      was,
      is,
    });
}

function compareResource(step: Step, groupVersion: GroupVersion, before: ResourceModel, after: ResourceModel, tell: Tell): void {
  for (const what of ['scope', 'kind', 'singular'] as const)
    if (before[what] !== after[what]) tell('CP102', { part: what, was: before[what], is: after[what] });
  for (const verb of without(before.verbs, after.verbs)) tell('CP103', { part: `verb ${verb}`, was: 'served', is: 'not served' });
  for (const name of without(before.shortNames, after.shortNames))
    tell('CP105', { part: `short name ${name}`, was: `short for ${before.name}`, is: 'not there' });
  for (const name of without(before.categories, after.categories))
    tell('CP105', { part: `category ${name}`, was: `has ${before.name}`, is: `does not have ${before.name}` });
  const selectable = [...after.selectableFields, ...Object.keys(after.selectableAliases ?? {})];
  for (const field of without([...before.selectableFields, ...Object.keys(before.selectableAliases ?? {})], selectable))
    tell('CP106', { part: `field ${field}`, was: 'can be selected by', is: 'cannot be selected by' });
  compareGate(step, before, after, (was, is) => tell('CP122', { part: 'feature gate', was, is }));
  compareBehaviour(before, after, (part, was, is) => tell('CP108', { part, was, is }));
  compareAliases(before, after, tell);
  const own = stabilityBehind(step.before, before.featureGate, stabilityIn(step, groupVersion));
  for (const subresource of before.subresources) compareSubresource(step, subresource, after.subresources, own, tell);
}

/** A name that selects by a field must go on selecting by the same field. */
function compareAliases(
  { selectableAliases: before = {} }: ResourceModel,
  { selectableAliases: after = {} }: ResourceModel,
  tell: Tell,
): void {
  for (const [name, was] of Object.entries(before)) {
    const is = after[name];
    if (is !== undefined && is !== was) tell('CP106', { part: `field ${name}`, was: `selects by ${was}`, is: `selects by ${is}` });
  }
}

function compareSubresource(step: Step, before: Subresource, all: readonly Subresource[], own: Stability, tell: Tell): void {
  const kindText = ({ group, version, kind }: Subresource): string => [group, version, kind].filter((part) => part !== undefined).join(' ');
  const part = `subresource ${before.name}`;
  const level = { stability: stabilityBehind(step.before, before.featureGate, own) };
  const after = all.find(({ name }) => name === before.name);
  if (after === undefined) return tell('CP104', { part, was: `of kind ${before.kind}`, is: 'not there', ...level });
  if (!isStillTaken(step.after, before, after))
    tell('CP104', { part, was: `of kind ${kindText(before)}`, is: `of kind ${kindText(after)}`, ...level });
  for (const verb of without(before.verbs, after.verbs))
    tell('CP103', { part: `${part} verb ${verb}`, was: 'served', is: 'not served', ...level });
  compareGate(step, before, after, (was, is) => tell('CP122', { part, was, is, ...level }));
  const [was, is] = [shown(before.scale), shown(after.scale)];
  if (was !== is) tell('CP108', { part, was, is, ...level });
}

/** A subresource may take objects of another version of its kind as long as the version that it took is still served. */
function isStillTaken({ groupVersions, release }: Model, before: Subresource, after: Subresource): boolean {
  if (before.kind !== after.kind || before.group !== after.group) return false;
  if (before.version === after.version) return true;
  const version = groupVersions.find(({ group, version }) => group === before.group && version === before.version);
  return version !== undefined && isKindServed(version, before.kind, release);
}

interface Gated {
  readonly featureGate?: string;
}

function compareGate(step: Step, before: Gated, after: Gated, tell: (was: string, is: string) => void): void {
  const [was, is] = [isOnByDefault(step.before, before.featureGate), isOnByDefault(step.after, after.featureGate)];
  if (was && !is) tell('there', `there while ${after.featureGate} is on, which it is not by default`);
}

/** Reports what a request could do before, and cannot do any more. */
function compareBehaviour(before: ResourceModel, after: ResourceModel, tell: (part: string, was: string, is: string) => void): void {
  const formats = ['pathSegment', 'dnsSubdomain', 'dnsLabel', 'dns1035Label'];
  if (formats.indexOf(after.nameFormat) > formats.indexOf(before.nameFormat)) tell('names', before.nameFormat, after.nameFormat);
  for (const what of ['putCreates', 'unconditionalUpdate'] as const) if (before[what] && !after[what]) tell(what, 'true', 'false');
  for (const what of ['deleteAnswers', 'statusOnCreate', 'statusOnUpdate', 'generatedNames', 'defaultPropagation'] as const)
    if (before[what] !== after[what]) tell(what, shown(before[what]), shown(after[what]));
}

function without<T>(before: readonly T[], after: readonly T[]): T[] {
  return before.filter((each) => !after.includes(each));
}
