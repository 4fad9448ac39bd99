/** Writes `history.ts`: what a server has to know of the group versions of earlier releases before one of their kinds is used. */
import type { StoredBefore } from '../../../runtime/contract/history.ts';
import { compareReleases, type Dated, isThere, type Lifespan } from '../../../runtime/contract/lifespan.ts';
import { versionPriority } from '../../../runtime/contract/version-priority.ts';
import { servedSpan } from '../../model/at-release.ts';
import type { GroupVersion, Model, ResourceModel } from '../../model/model.ts';
import { header, literal, propertyName, quote, render } from '../typescript.ts';
import type { HistoryModel } from './history-model.ts';

export function emitHistory(history: HistoryModel, current: Model): string {
  const today = new Map(current.groupVersions.map((each) => [each.folder, each]));
  return render('history.ts.hbs', {
    header: header('schemas/*/*/openapi.yaml'),
    groupVersions: history.model.groupVersions
      .filter(({ files }) => !files)
      .flatMap((groupVersion) => view(history, groupVersion, today.get(groupVersion.folder)) ?? []),
    folders: history.groupVersions.map(({ folder }) => ({ folder, name: propertyName(folder) })),
    packages: packages(history).map(([folder, found]) => ({ folder: propertyName(folder), package: literal(found) })),
    storedBefore: storedBefore(history).map(([prefix, forms]) => ({ prefix: quote(prefix), forms: forms.map(literal) })),
  });
}

/** @returns the package of every group version of the window, with the releases that knew its types, whether they served them or not */
function packages({ model, window }: HistoryModel): [folder: string, found: Dated<{ readonly name: string }>][] {
  const known = window.releases.map((release) => new Set(model.at(release).groupVersions.map(({ folder }) => folder)));
  return model.groupVersions.flatMap(({ files, folder, package: name }): [string, Dated<{ readonly name: string }>][] => {
    const first = known.findIndex((folders) => folders.has(folder));
    if (files || first < 0) return [];
    const end = known.findIndex((folders, index) => index > first && !folders.has(folder));
    const lifespan = {
      ...(first > 0 && { since: window.releases[first] as string }),
      ...(end > 0 && { until: window.releases[end] as string }),
    };
    return [[folder, { name, ...lifespan }]];
  });
}

/** @returns undefined if all releases have had the group version as it is now */
function view(history: HistoryModel, groupVersion: GroupVersion, today: GroupVersion | undefined): object | undefined {
  const { window } = history;
  const { folder, source: _source, types: _types, package: _package, files: _files, resources: _resources, ...data } = groupVersion;
  const resources = window.dated(resourcesOf(groupVersion));
  const { before = [], group, version, ...others } = window.dated(data);
  if (before.length === 0 && JSON.stringify(resources) === JSON.stringify(today?.resources ?? [])) return undefined;
  const stated = { group, version, folder, ...others, ...(before.length > 0 && { before }) };
  return {
    data: Object.entries(stated).map(([name, value]) => `${name}: ${literal(value)}`),
    resources: resources.map((resource) => literal(briefly(resource, today))),
  };
}

/** A resource that is as it is now is only named. */
function briefly({ since, until, ...resource }: ResourceModel, today: GroupVersion | undefined): object {
  const lifespan = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
  const now = today?.resources.find(({ name }) => name === resource.name);
  return JSON.stringify(now) === JSON.stringify(resource) ? { asNow: resource.name, ...lifespan } : { ...resource, ...lifespan };
}

/** @returns the resources with the releases that serve each */
function resourcesOf({ types, resources }: GroupVersion): ResourceModel[] {
  const lifecycles = new Map(types.map((type) => [type.name, type.kind === 'struct' ? type.lifecycle : undefined]));
  return resources.map((resource) => ({ ...resource, ...servedSpan(resource, lifecycles.get(resource.kind)) }));
}

/** A version in which a resource may be stored. */
interface Candidate extends Lifespan {
  readonly form: Omit<StoredBefore, 'until'>;
}

/**
 * An earlier release stored objects in the version of the highest priority that the release before it had as well, so that people could go back by one release
 * (specification: Deprecation rule 4b). If the release before had none, it stored them in the one of the highest priority that there was.
 */
function storedBefore({ model, window }: HistoryModel): [prefix: string, forms: StoredBefore[]][] {
  const candidates = new Map<string, Candidate[]>();
  const hubs = new Map<string, Omit<StoredBefore, 'until'>>();
  for (const groupVersion of model.groupVersions)
    for (const { kind, storage, since, until } of resourcesOf(groupVersion)) {
      if (storage === undefined) continue;
      const { group, version } = groupVersion;
      const lifespan = { ...(since !== undefined && { since }), ...(until !== undefined && { until }) };
      hubs.set(storage.prefix, { group: storage.group, version: storage.version, kind: storage.kind });
      candidates.set(storage.prefix, [...(candidates.get(storage.prefix) ?? []), { form: { group, version, kind }, ...lifespan }]);
    }
  return [...candidates]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([prefix, all]): [string, StoredBefore[]] => [prefix, formsBefore(all, hubs.get(prefix) as Candidate['form'], window.releases)])
    .filter(([, forms]) => forms.length > 0);
}

/**
 * @param releases oldest first; the last one stores the hub
 * @returns the forms in which earlier releases stored objects, oldest first, without those of the hub
 */
function formsBefore(candidates: readonly Candidate[], hub: Candidate['form'], releases: readonly string[]): StoredBefore[] {
  const forms: StoredBefore[] = [];
  releases.slice(0, -1).forEach((release, index) => {
    const form = storedAt(candidates, hub, release) ?? hub;
    if (isSame(form, hub)) return;
    const until = releases[index + 1] as string;
    const last = forms.at(-1);
    if (last !== undefined && isSame(last, form) && last.until === release) forms[forms.length - 1] = { until, ...form };
    else forms.push({ until, ...form });
  });
  return forms;
}

function storedAt(candidates: readonly Candidate[], hub: Candidate['form'], release: string): Candidate['form'] | undefined {
  const there = candidates.filter((each) => isThere(each, release));
  const known = there.filter(({ since }) => since !== undefined && compareReleases(since, release) < 0);
  const priority = ({ form }: Candidate): number => (form.group === hub.group ? 1000 : 0) + versionPriority(form.version);
  return (known.length > 0 ? known : there).toSorted((a, b) => priority(b) - priority(a))[0]?.form;
}

const isSame = (a: Candidate['form'], b: Candidate['form']): boolean => a.group === b.group && a.version === b.version && a.kind === b.kind;
