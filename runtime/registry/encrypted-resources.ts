/** Which resources an encryption configuration names, by the rules of kube-apiserver 1.32. */
import type { GroupVersionData } from '../contract/kind.ts';
import type { Provider } from '../storage/encryption/providers.ts';
import type { EncryptionConfiguration } from '../storage/encryption/store-encryption.ts';

const ALL = '*';

export interface GroupResource {
  /** '' for the core group */
  readonly group: string;
  readonly resource: string;
}

/** As configurations have it, such as `secrets`, `widgets.example.com`, `*.apps`, `*.`. */
function parseRule(text: string): GroupResource {
  const dot = text.indexOf('.');
  return dot < 0 ? { group: '', resource: text } : { group: text.slice(dot + 1), resource: text.slice(0, dot) };
}

const shown = ({ group, resource }: GroupResource): string => (group === '' && resource !== ALL ? resource : `${resource}.${group}`);

/** How some resources are encrypted. */
export interface EncryptionRule<P = Provider> {
  readonly resources: readonly string[];
  readonly providers: readonly P[];
}

/** Finds what the keys of a prefix are of; undefined for what is no resource. */
export type ResourceOfPrefix = (prefix: string) => GroupResource | undefined;

/** @typeParam P providers, of whatever store */
export class ResourceRules<P> {
  /** by rule, in the order of the configuration */
  protected readonly providers = new Map<string, readonly P[]>();
  protected readonly resourceOf: ResourceOfPrefix;

  /** @throws Error for a rule that an earlier one hides */
  constructor(rules: readonly EncryptionRule<P>[], resourceOf: ResourceOfPrefix) {
    this.resourceOf = resourceOf;
    for (const { resources, providers } of rules)
      for (const text of resources) {
        const rule = parseRule(text);
        const masking = [{ group: rule.group, resource: ALL }, EVERYTHING].find((each) => this.providers.has(shown(each)));
        if (masking !== undefined)
          throw new Error(`resource ${JSON.stringify(shown(rule))} is masked by earlier rule ${JSON.stringify(shown(masking))}`);
        this.providers.set(shown(rule), [...(this.providers.get(shown(rule)) ?? []), ...providers]);
      }
  }

  /** @param prefix of the resource's keys. @returns undefined where the configuration does not name it */
  providersOf(prefix: string): readonly P[] | undefined {
    const resource = this.resourceOf(prefix);
    if (resource === undefined) return undefined;
    for (const rule of rulesFor(resource)) {
      const found = this.providers.get(shown(rule));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  /** @param prefix of the resource's keys. @returns its name as rules have it */
  nameOf(prefix: string): string {
    const resource = this.resourceOf(prefix);
    return resource === undefined ? prefix : shown(resource);
  }
}

export class EncryptedResources extends ResourceRules<Provider> implements EncryptionConfiguration {
  readonly writers: EncryptionConfiguration['writers'];
  readonly keys: ReadonlySet<string>;

  /** @throws Error for a rule that an earlier one hides */
  constructor(rules: readonly EncryptionRule[], resourceOf: ResourceOfPrefix) {
    super(rules, resourceOf);
    const providers = rules.flatMap((rule) => rule.providers);
    this.keys = new Set(
      providers.flatMap(({ writesBy, searchKeys }) => [...(writesBy === undefined ? [] : [writesBy]), ...searchKeys.map(({ id }) => id)]),
    );
    this.writers = [...this.providers].map(([rule, [provider]]) => ({ rules: [rule], provider: provider as Provider }));
  }

  covers(rule: string, prefix: string): boolean {
    const resource = this.resourceOf(prefix);
    return resource !== undefined && rulesFor(resource).some((each) => shown(each) === rule);
  }
}

const EVERYTHING: GroupResource = { group: ALL, resource: ALL };

/** The one that counts first. */
const rulesFor = (resource: GroupResource): readonly GroupResource[] => [resource, { group: resource.group, resource: ALL }, EVERYTHING];

/** @param groupVersions all that may be stored, with the names of the dialect */
export function resourcesByPrefix(groupVersions: readonly GroupVersionData[]): ResourceOfPrefix {
  const found = new Map<string, GroupResource>();
  // what several groups serve is of the group in which it is stored
  for (const { group, resources } of groupVersions)
    for (const { name, storage } of resources)
      if (storage !== undefined && (group === storage.group || !found.has(storage.prefix)))
        found.set(storage.prefix, { group: storage.group, resource: name });
  return (prefix) => found.get(prefix) ?? customResource(prefix);
}

function customResource(prefix: string): GroupResource | undefined {
  const slash = prefix.indexOf('/');
  const group = prefix.slice(0, slash);
  return group.includes('.') ? { group, resource: prefix.slice(slash + 1) } : undefined;
}
