/** Compares definitions of custom kinds with earlier ones. Alpha versions are held to the same rules as the others, because nothing turns them off. */
import { isObject, type JsonObject, objectAt } from '../../read/sources.ts';
import { isEqual } from '../elements/constraints.ts';
import { type PolicyReport, shown } from '../finding.ts';
import type { PolicyCode } from '../policy-codes.ts';
import { isLessStable, stabilityOf } from '../stability.ts';
import { compareSchemas } from './compare-schemas.ts';
import { conversionLosses } from './conversion-losses.ts';
import type { Definition, DefinitionVersion } from './definition.ts';
import { comparePrinterColumns } from './printer-columns.ts';

/**
 * @param part the part of the definition that differs, such as `v1 spec.mode`
 * @param path its place in the file, counted from the definition on
 */
export type TellPart = (code: PolicyCode, part: string, path: string, was: string, is: string) => void;

export function compareDefinitions(before: readonly Definition[], after: readonly Definition[], report: PolicyReport): void {
  const now = new Map(after.map((definition) => [definition.name, definition]));
  for (const definition of before) {
    const same = now.get(definition.name);
    const { file } = same ?? after[0] ?? definition;
    const tell: TellPart = (code, part, path, was, is) =>
      report.violation(code, { element: joined(definition.name, part), at: { file, path }, was, is, release: '' });
    if (same === undefined) tell('CP101', '', '', 'defined', 'not there');
    else compareDefinition(definition, same, tell, report);
  }
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' ');
}

function compareDefinition(before: Definition, after: Definition, tell: TellPart, report: PolicyReport): void {
  compareNames(before, after, tell);
  for (const version of before.storedVersions)
    if (!after.versions.some(({ name }) => name === version)) tell('CP412', version, 'spec.versions', 'stored', 'not there');
  compareStorage(before, after, tell);
  for (const version of before.versions) {
    const same = after.versions.find(({ name }) => name === version.name);
    if (version.served && same?.served !== true) tellRemoval(before, version, tell, report);
    if (same !== undefined && (version.served || before.storedVersions.includes(version.name))) compareVersion(version, same, tell);
  }
  checkDeprecations(before, after, tell);
  const known = new Set(conversionLosses(before).map((loss) => JSON.stringify(loss)));
  for (const loss of conversionLosses(after))
    if (!known.has(JSON.stringify(loss))) tell(loss.code, `${loss.from} ${loss.path}`, `spec.versions.${loss.from}`, loss.was, loss.is);
}

function compareNames({ spec: before }: Definition, { spec: after }: Definition, tell: TellPart): void {
  if (before.scope !== after.scope) tell('CP102', 'scope', 'spec.scope', shown(before.scope), shown(after.scope));
  const [old, now] = [objectAt(before, 'names'), objectAt(after, 'names')];
  for (const name of ['kind', 'plural', 'singular', 'listKind'])
    if (!isEqual(old[name], now[name])) tell('CP102', name, `spec.names.${name}`, shown(old[name]), shown(now[name]));
  for (const [list, what] of [
    ['shortNames', 'short name'],
    ['categories', 'category'],
  ] as const)
    for (const name of textsOf(old, list))
      if (!textsOf(now, list).includes(name)) tell('CP105', `${what} ${name}`, `spec.names.${list}`, 'there', 'not there');
}

function textsOf(holder: JsonObject, member: string): string[] {
  const list = holder[member];
  return Array.isArray(list) ? list.map(String) : [];
}

/** The version that is stored must have been served before, so that servers of the earlier definition can read it. */
function compareStorage(before: Definition, after: Definition, tell: TellPart): void {
  const [was, is] = [before, after].map(({ versions }) => versions.find(({ storage }) => storage)?.name);
  if (was === undefined || is === undefined || was === is) return;
  const known = before.versions.find(({ name }) => name === is);
  if (known?.served !== true) tell('CP410', 'storage', `spec.versions.${is}`, `stored as ${was}`, `stored as ${is}, which was not served`);
}

function tellRemoval({ name: definition }: Definition, version: DefinitionVersion, tell: TellPart, report: PolicyReport): void {
  const { name, deprecated } = version;
  const stability = stabilityOf(name);
  if (stability === 'alpha')
    return report.allowed({ element: `${definition} ${name}`, title: 'alpha version is removed', why: 'alpha', release: '' });
  if (stability === 'stable') return tell('CP401', name, 'spec.versions', 'served', 'not served');
  if (!deprecated) return tell('CP402', name, 'spec.versions', 'served, not deprecated', 'not served');
  report.allowed({ element: `${definition} ${name}`, title: 'version is removed', why: 'removed in time', release: '' });
}

/** Rule 3: a version that becomes deprecated must leave its users another one that is at least as stable. */
function checkDeprecations(before: Definition, after: Definition, tell: TellPart): void {
  for (const { name, served, deprecated } of after.versions) {
    const was = before.versions.find((version) => version.name === name);
    if (!served || !deprecated || was?.deprecated === true) continue;
    const others = after.versions.filter((version) => version.name !== name && version.served && !version.deprecated);
    const enough = others.some((other) => !isLessStable(stabilityOf(other.name), stabilityOf(name)));
    if (others.length > 0 && !enough)
      tell(
        'CP301',
        name,
        `spec.versions.${name}`,
        stabilityOf(name),
        `deprecated, when only ${others.map((other) => other.name).join(', ')} can take its place`,
      );
  }
}

function compareVersion(before: DefinitionVersion, after: DefinitionVersion, tell: TellPart): void {
  const { name } = before;
  const place = `spec.versions.${name}`;
  compareSchemas(before.schema, after.schema, (code, path, keyword, was, is) =>
    tell(code, joined(name, path), `${place}.${schemaPlace(path)}`, joined(keyword, was), joined(keyword, is)),
  );
  compareSubresources(before, after, (code, part, was, is) => tell(code, `${name} ${part}`, `${place}.subresources`, was, is));
  const selectable = ({ stated }: DefinitionVersion): unknown[] => (Array.isArray(stated.selectableFields) ? stated.selectableFields : []);
  for (const field of selectable(before))
    if (!selectable(after).some((each) => isEqual(each, field)))
      tell('CP106', `${name} field ${isObject(field) ? shown(field.jsonPath) : ''}`, place, 'can be selected by', 'cannot be selected by');
  comparePrinterColumns(before, after, (column, was, is) =>
    tell('CP109', `${name} column ${column}`, `${place}.additionalPrinterColumns`, was, is),
  );
}

/**
 * @param path such as `spec.ports[].name`
 * @returns the place of that schema in a version of the definition
 */
function schemaPlace(path: string): string {
  const steps = path.split('.').flatMap((step) => {
    const name = step.replaceAll('[]', '');
    const lists = step
      .split('[]')
      .slice(1)
      .map(() => 'items');
    return [...(name === '' ? [] : name === '*' ? ['additionalProperties'] : ['properties', name]), ...lists];
  });
  return ['schema.openAPIV3Schema', ...steps].join('.');
}

function compareSubresources(
  before: DefinitionVersion,
  after: DefinitionVersion,
  tell: (code: PolicyCode, part: string, was: string, is: string) => void,
): void {
  const [old, now] = [objectAt(before.stated, 'subresources'), objectAt(after.stated, 'subresources')];
  for (const name of ['status', 'scale'])
    if (old[name] !== undefined && now[name] === undefined) tell('CP104', `subresource ${name}`, 'there', 'not there');
  const [scale, scaled] = [objectAt(old, 'scale'), objectAt(now, 'scale')];
  if (old.scale !== undefined && now.scale !== undefined && !isEqual(scale, scaled))
    tell('CP108', 'subresource scale', shown(scale), shown(scaled));
}
