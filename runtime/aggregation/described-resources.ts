/** Reads resources from other servers' discovery, in both of its forms. Such a server may send anything, so every member is checked. */
import type { ApiResourceDiscovery, ResponseKind } from '../discovery/described-resource.ts';
import { isMembers, type Members, textOf } from '../openapi/remote-swagger.ts';
import { parseNativeJson } from '../schema/json/native-json.ts';

/** Resources by `group/version`. */
export type DescribedVersions = ReadonlyMap<string, readonly ApiResourceDiscovery[]>;

export interface DescriptionOrder {
  readonly body: Uint8Array;
  /** each as `group/version`; other versions in the body are dropped */
  readonly versions: readonly string[];
}

/** Reads an APIGroupDiscoveryList. @returns the resources of each wanted version, as JSON. @throws Error if the body is none, or the result becomes too long */
export function describedVersions({ body, versions }: DescriptionOrder): readonly Uint8Array[] {
  const all = aggregatedResources(body);
  return versions.map((each) => resourcesText(all.get(each) ?? []));
}

export interface ListOrder {
  readonly body: Uint8Array;
}

/** Reads an APIResourceList. @returns its resources as JSON. @throws as `listedResources`, and if the result becomes too long */
export const listedVersion = ({ body }: ListOrder): Uint8Array => resourcesText(listedResources(body));

/** Most characters of one version's resources as JSON. A body within its limit can exceed this, with millions of resources that say nothing. */
const LONGEST = 32 * 1024 * 1024;
/** Number of resources that are turned into JSON at once. */
const AT_ONCE = 1_000;

/** @throws Error */
function resourcesText(resources: readonly ApiResourceDiscovery[]): Uint8Array {
  const texts: string[] = [];
  let length = 0;
  for (let at = 0; at < resources.length; at += AT_ONCE) {
    const text = JSON.stringify(resources.slice(at, at + AT_ONCE)).slice(1, -1);
    length += text.length;
    if (length > LONGEST) throw new Error(`the resources of one version take more than ${LONGEST} characters`);
    texts.push(text);
  }
  return Buffer.from(`[${texts.join(',')}]`);
}

/** Reads an APIGroupDiscoveryList. @throws Error if the body is none */
export function aggregatedResources(body: Uint8Array): DescribedVersions {
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

/** A resource, and its subresources, which may come anywhere in the list. */
interface Listed {
  readonly resource: ApiResourceDiscovery;
  readonly subresources: Subresource[];
}

/**
 * Reads an APIResourceList. For a subresource whose resource is missing, one with nothing but a name and scope is made up, as in 1.32.
 * @throws Error if the body is none, or a subresource and its resource differ in scope
 */
export function listedResources(body: Uint8Array): readonly ApiResourceDiscovery[] {
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

/** Missing members become '', because clients read them without a check. */
function kindOf(described: unknown): ResponseKind {
  const { group, version, kind } = isMembers(described) ? described : {};
  return { group: text(group), version: text(version), kind: text(kind) };
}

/** @throws Error */
function parsed(body: Uint8Array): Members {
  const value = parseNativeJson<unknown>(textOf(body));
  if (!isMembers(value)) throw new Error('the answer is no object');
  return value;
}

const objects = (value: unknown): Members[] => (Array.isArray(value) ? value.filter(isMembers) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] => (Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []);

function named(name: 'shortNames' | 'categories', values: readonly string[]): Partial<ApiResourceDiscovery> {
  return values.length > 0 ? { [name]: values } : {};
}
