/** Writes the table of all kinds for schemas/README.md: a row for each kind of a group, with its resource and its versions. */
import type { ResourceData } from '../../runtime/contract/kind.ts';
import { versionPriority } from '../../runtime/contract/version-priority.ts';
import { compareReleases } from '../model/lifespan.ts';
import type { GroupVersion, Model, StructModel } from '../model/model.ts';
import { byName } from './typescript.ts';

/** The dialect whose names the table has. */
const DIALECT = 'kubernetes';
const VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];

interface Version {
  readonly groupVersion: GroupVersion;
  readonly kind: StructModel;
}

/** @returns Markdown */
export function emitKindsTable(model: Model): string {
  const text = textOf(model);
  const groups = Map.groupBy(model.groupVersions, ({ group, files }) => `${files} ${group}`);
  const ordered = [...groups.values()].sort(groupOrder);
  const served = ordered.filter(([first]) => !first?.files).flatMap((versions) => apiRows(model, versions, text));
  const files = ordered.filter(([first]) => first?.files).flatMap((versions) => fileRows(model, versions, text));
  return [
    ...table(['group', 'kind', 'resource', 'namespaced', 'verbs', 'subresources', 'versions'], served),
    '',
    'Kinds of files, which are read and written but not served:',
    '',
    ...table(['group', 'kind', 'versions'], files),
  ].join('\n');
}

function textOf({ identity }: Model): (template: string) => string {
  return (template) => template.replaceAll(/\$\{(\w+)\}/g, (_, name: string) => identity.names[name]?.[DIALECT] ?? name);
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`);
}

/** Groups stand in the order of discovery; those without resources come last. */
function groupOrder([a]: GroupVersion[], [b]: GroupVersion[]): number {
  if (a === undefined || b === undefined) return 0;
  const isServed = (each: GroupVersion): number => (each.resources.length > 0 ? 1 : 0);
  return isServed(b) - isServed(a) || b.groupPriority - a.groupPriority || (a.group < b.group ? -1 : 1);
}

type Text = (template: string) => string;

function apiRows(model: Model, versions: readonly GroupVersion[], text: Text): string[][] {
  return kindsOf(versions).map(([name, kinds]) => {
    const resources = resourcesOf(versions, name);
    const resource = resources[0];
    return [
      code(text(kinds[0]?.groupVersion.group ?? '')) || 'core',
      name,
      resource === undefined ? subresourcesOfKind(model, kinds).map(code).join(', ') : code(resource.name),
      resource === undefined ? '' : resource.scope === 'Namespaced' ? 'yes' : 'no',
      resource === undefined ? '' : verbsText(resource),
      [...new Set(resources.flatMap(({ subresources }) => subresources.map((each) => each.name)))].sort().map(code).join(', '),
      versionsText(kinds, model),
    ];
  });
}

function fileRows(model: Model, versions: readonly GroupVersion[], text: Text): string[][] {
  return kindsOf(versions).map(([name, kinds]) => [
    code(text(kinds[0]?.groupVersion.group ?? '')) || 'none',
    text(kinds[0]?.kind.file?.kind ?? name),
    versionsText(kinds, model),
  ]);
}

/** @returns the kinds by name, each with its versions, the newest first. List kinds are left out */
function kindsOf(versions: readonly GroupVersion[]): [name: string, versions: Version[]][] {
  const all = versions
    .toSorted((a, b) => versionPriority(b.version) - versionPriority(a.version))
    .flatMap((groupVersion) => {
      const kinds = groupVersion.types.filter((type): type is StructModel => type.kind === 'struct' && type.topLevel);
      const lists = new Set(kinds.map(({ list }) => list));
      return kinds.filter(({ name }) => !lists.has(name)).map((kind) => ({ groupVersion, kind, name: kind.name }));
    });
  return [...Map.groupBy(all.sort(byName), ({ name }) => name)];
}

function resourcesOf(versions: readonly GroupVersion[], kind: string): ResourceData[] {
  return versions.flatMap(({ resources }) => resources.filter((resource) => resource.kind === kind));
}

/** @returns the subresources that take or answer with a kind that has no resource of its own */
function subresourcesOfKind({ groupVersions }: Model, [first]: readonly Version[]): string[] {
  const found = groupVersions.flatMap(({ group, resources }) =>
    resources.flatMap(({ name, subresources }) =>
      subresources
        .filter((each) => each.kind === first?.kind.name && (each.group ?? group) === first.groupVersion.group)
        .map((each) => `${name}/${each.name}`),
    ),
  );
  return [...new Set(found)].sort();
}

function verbsText({ verbs }: ResourceData): string {
  return VERBS.every((verb) => (verbs as readonly string[]).includes(verb)) ? 'all' : [...verbs].sort().join(', ');
}

function versionsText(kinds: readonly Version[], { release }: Model): string {
  return kinds
    .map(({ groupVersion, kind }) => {
      const { version, resources, enabledByDefault, files } = groupVersion;
      const { introduced, deprecated, removed } = kind.lifecycle ?? { introduced: '' };
      const past = (other: string | undefined): boolean => other !== undefined && compareReleases(other, release) <= 0;
      const remarks = [`since ${introduced}`];
      if (past(removed)) remarks.push(`removed in ${removed}`);
      else if (past(deprecated)) remarks.push(`deprecated in ${deprecated}`);
      if (!past(removed) && !enabledByDefault && !files && resources.length > 0) remarks.push('off by default');
      return `${version} (${remarks.join(', ')})`;
    })
    .join(', ');
}

function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}
