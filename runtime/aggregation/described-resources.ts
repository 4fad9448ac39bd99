/** Resources as other servers describe them, in either form of discovery, read with care: a server may say anything. */
import type { ApiResourceDiscovery, ResponseKind } from '../discovery/described-resource.ts';
import { parseNativeJson } from '../schema/native-json.ts';

/** Resources by `group/version`. */
export type DescribedVersions = ReadonlyMap<string, readonly ApiResourceDiscovery[]>;

type Members = Readonly<Record<string, unknown>>;

/** Of an APIGroupDiscoveryList. @throws Error for what is none */
export function aggregatedResources(body: Buffer): DescribedVersions {
  const versions = new Map<string, readonly ApiResourceDiscovery[]>();
  for (const group of objects(parsed(body).items)) {
    const name = text((group.metadata as Members | undefined)?.name);
    for (const version of objects(group.versions))
      versions.set(`${name}/${text(version.version)}`, objects(version.resources).map(resourceOf));
  }
  return versions;
}

function resourceOf(described: Members): ApiResourceDiscovery {
  const subresources = objects(described.subresources).map((each) => ({
    subresource: text(each.subresource),
    responseKind: kindOf(each.responseKind),
    verbs: texts(each.verbs),
  }));
  return {
    resource: text(described.resource),
    responseKind: kindOf(described.responseKind),
    scope: described.scope === 'Namespaced' ? 'Namespaced' : 'Cluster',
    singularResource: text(described.singularResource),
    verbs: texts(described.verbs),
    ...named('shortNames', texts(described.shortNames)),
    ...named('categories', texts(described.categories)),
    ...(subresources.length > 0 && { subresources }),
  };
}

type Subresource = NonNullable<ApiResourceDiscovery['subresources']>[number];

/** One whose subresources may stand behind it, as many as there are. */
interface Listed {
  readonly resource: ApiResourceDiscovery;
  readonly subresources: Subresource[];
}

/**
 * Of an APIResourceList. A subresource without a resource stands in one that has nothing but a name, as in 1.32.
 * @throws Error for what is none, and for a subresource whose scope is another one than its resource's
 */
export function listedResources(body: Buffer): readonly ApiResourceDiscovery[] {
  const described = objects(parsed(body).resources);
  const all = new Map<string, Listed>();
  for (const each of described) {
    const name = text(each.name);
    if (!name.includes('/')) all.set(name, { resource: listedResource(name, each), subresources: [] });
  }
  for (const each of described) {
    const name = text(each.name);
    const slash = name.indexOf('/');
    if (slash < 0) continue;
    const parent = name.slice(0, slash);
    const scope = scopeOf(each);
    const holder = all.get(parent) ?? { resource: namedAlone(parent, scope), subresources: [] };
    if (holder.resource.scope !== scope)
      throw new Error(
        `Error: Parent ${parent} (scope: ${holder.resource.scope}) and subresource ${name.slice(slash + 1)} (scope: ${scope}) scope do not match`,
      );
    holder.subresources.push({ subresource: name.slice(slash + 1), responseKind: kindOf(each), verbs: texts(each.verbs) });
    all.set(parent, holder);
  }
  return Array.from(all.values(), ({ resource, subresources }) => (subresources.length > 0 ? { ...resource, subresources } : resource));
}

const namedAlone = (resource: string, scope: ApiResourceDiscovery['scope']): ApiResourceDiscovery => ({
  resource,
  responseKind: NO_KIND,
  scope,
  singularResource: '',
  verbs: [],
});

function listedResource(name: string, described: Members): ApiResourceDiscovery {
  return {
    resource: name,
    responseKind: kindOf(described),
    scope: scopeOf(described),
    singularResource: text(described.singularName),
    verbs: texts(described.verbs),
    ...named('shortNames', texts(described.shortNames)),
    ...named('categories', texts(described.categories)),
  };
}

const scopeOf = ({ namespaced }: Members): 'Namespaced' | 'Cluster' => (namespaced === true ? 'Namespaced' : 'Cluster');

const NO_KIND: ResponseKind = { group: '', version: '', kind: '' };

/** What is not said is empty, for clients that look at it without asking. */
function kindOf(described: unknown): ResponseKind {
  const { group, version, kind } = isMembers(described) ? described : {};
  return { group: text(group), version: text(version), kind: text(kind) };
}

/** @throws Error */
function parsed(body: Buffer): Members {
  const value = parseNativeJson<unknown>(body.toString('utf8'));
  if (!isMembers(value)) throw new Error('the answer is no object');
  return value;
}

const isMembers = (value: unknown): value is Members => typeof value === 'object' && value !== null && !Array.isArray(value);
const objects = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isMembers) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

function named(name: 'shortNames' | 'categories', values: readonly string[]): Partial<ApiResourceDiscovery> {
  return values.length > 0 ? { [name]: values } : {};
}
