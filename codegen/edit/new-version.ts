/**
 * Writes the schemas of a new version of a group: all types of another one, by reference, with the same numbers, resources and conversions. Whoever changes a
 * type
 * there takes its reference out and states the schema.
 */
import { versionPriority } from '../../runtime/contract/version-priority.ts';
import type { GroupVersion, Model, NamedType, StructModel } from '../model/model.ts';
import { messageName } from '../model/protobuf-names.ts';
import { stabilityOf } from '../policy/stability.ts';
import type { JsonObject } from '../read/sources.ts';
import { flowText } from './yaml-text.ts';

/** What a new version begins as. */
export interface NewVersion {
  /** Such as `v2`. */
  readonly version: string;
  readonly from: GroupVersion;
  /** The release that introduces the version. */
  readonly release: string;
  /** The entries of `x-cluster-resources` of the other version, as they are stated. */
  readonly resources: readonly JsonObject[];
  /** The values of `x-cluster-table` by kind: each version of structural schemas states its own columns. */
  readonly tables: ReadonlyMap<string, unknown>;
}

/**
 * @param model the model of the current release
 * @returns the text of openapi.yaml
 */
export function newDocument(model: Model, request: NewVersion): string {
  const { version, from, release, resources } = request;
  const group = {
    group: from.group,
    version,
    package: newPackage(from, version),
    ...priorities(model, from, version),
    ...(from.files && { files: true }),
    ...(from.structural !== undefined && { structural: true }),
  };
  const types = typesOf(model, from, release);
  return [
    `openapi: "3.0.3"`,
    `info: { title: ${from.folder.split('/')[0]}/${version}, version: ${version} }`,
    `x-cluster-group-version: ${flowText(group)}`,
    ...resourceLines(from, resources),
    'paths: {}',
    'components:',
    '  schemas:',
    ...types.flatMap((type) => typeLines(type, request)),
    '',
  ].join('\n');
}

/** Types that are gone stay with the version that had them, and types of other packages are the same in all versions. */
export function typesOf(model: Model, from: GroupVersion, release: string): NamedType[] {
  const there = model.at(release).types;
  return from.types.filter(({ name, definition }) => there.has(definition) && definition === `${from.package}.${name}`);
}

function newPackage({ package: name, version: old }: GroupVersion, version: string): string {
  const suffix = `.${old}`;
  return name.endsWith(suffix) ? `${name.slice(0, -suffix.length)}.${version}` : `${name}.${version}`;
}

/** A version that is on by default must not be preferred before a release has had it (rule 4b). */
function priorities({ all }: Model, from: GroupVersion, version: string): object {
  const group = all.groupVersions.filter((each) => each.group === from.group && each.files === from.files);
  const groupPriority = { groupPriority: from.groupPriority };
  if (stabilityOf(version) !== 'stable') return groupPriority;
  const preferred = Math.max(...group.filter(({ enabledByDefault }) => enabledByDefault).map((each) => each.versionPriority));
  return preferred === Number.NEGATIVE_INFINITY || preferred > versionPriority(version)
    ? groupPriority
    : { ...groupPriority, versionPriority: preferred - 1 };
}

/** A resource that the other version states by `as` is stated so here too; any other one is stated as that of the other version. */
function resourceLines({ version }: GroupVersion, resources: readonly JsonObject[]): string[] {
  const there = resources.filter(({ until }) => until === undefined);
  if (there.length === 0) return [];
  const stated = there.map(({ since: _since, ...resource }) =>
    resource.as === undefined ? { name: resource.name, as: `../${version}/openapi.yaml` } : resource,
  );
  return ['x-cluster-resources:', ...stated.map((resource) => `  - ${flowText(resource)}`)];
}

function typeLines(type: NamedType, { from, release, tables }: NewVersion): string[] {
  const reference = `../${from.version}/openapi.yaml#/components/schemas/${type.name}`;
  if (type.kind === 'scalar' || !type.topLevel) return [`    ${type.name}: ${flowText({ $ref: reference })}`];
  const conversion = type.conversion === undefined && !isHub(type, from) ? undefined : conversionOf(type, from);
  const table = from.structural === undefined ? undefined : tables.get(type.name);
  return [
    `    ${type.name}:`,
    `      $ref: ${JSON.stringify(reference)}`,
    `      x-cluster-lifecycle: ${flowText({ introduced: release })}`,
    ...(conversion === undefined ? [] : [`      x-cluster-conversion: ${flowText(conversion)}`]),
    ...(table === undefined ? [] : [`      x-cluster-table: ${flowText(table)}`]),
  ];
}

/** Whether objects are stored in the form of this kind. */
function isHub({ name }: StructModel, { group, version, resources, files }: GroupVersion): boolean {
  return files || resources.some(({ storage }) => storage?.group === group && storage.version === version && storage.kind === name);
}

/** @returns the conversion of the other version's kind; if that is stored itself, one without steps to it */
function conversionOf({ name, conversion, conversionNotes }: StructModel, { group, version }: GroupVersion): object {
  if (conversion === undefined) return { to: { group, version, kind: name }, steps: [] };
  const { group: to, version: hub, kind, steps, function: hook } = conversion;
  const { converts = [], loses = [] } = conversionNotes ?? {};
  return {
    to: { group: to, version: hub, kind },
    steps,
    ...(hook !== undefined && { function: hook }),
    ...(converts.length > 0 && { converts }),
    ...(loses.length > 0 && { loses }),
  };
}

/**
 * @param text types.proto of the other version
 * @param types the types that the new version has
 * @returns the text of types.proto
 */
export function newProto(text: string, { version, from }: NewVersion, types: readonly NamedType[]): string {
  const [old, now] = [from.package, newPackage(from, version)].map(messageName) as [string, string];
  // Messages without a schema wrap lists, so they stay.
  const gone = new Set(from.types.filter((type) => !types.includes(type)).map(({ name }) => name));
  const kept = text.replaceAll(/^(?:\/\/[^\n]*\n)*message (\w+) \{(?:[^{}]|\{[^{}]*\})*\}\n*/gm, (message, name: string) =>
    gone.has(name) ? '' : message,
  );
  const names = [...kept.matchAll(/^message (\w+) /gm)].map(([, name]) => name);
  const ownPackage = new RegExp(`(?<=package |\\.)${old.replaceAll('.', '\\.')}(?=;|\\.(?:${names.join('|')})\\b)`, 'g');
  return `${kept.replaceAll(ownPackage, now).trimEnd()}\n`;
}
