/** Which requests are recorded, and how much of each, by an audit policy. The first rule that matches decides, as in 1.32. */
import type { GroupResources, Policy, PolicyRule } from '../../generated/audit/v1/types.ts';

/** From the least to the most. */
const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];

export type Stage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export const isAtLeast = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least);

/** What a policy looks at. */
export interface AuditedRequest {
  /** undefined where nobody is known yet */
  readonly user: { readonly name: string; readonly groups: readonly string[] } | undefined;
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  /** the following are '' where the request has none */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

/** What is recorded of a request. */
export interface Recording {
  readonly level: Level;
  readonly omitStages: ReadonlySet<string>;
  readonly omitManagedFields: boolean;
}

export class AuditPolicy {
  readonly #rules: readonly Rule[];
  readonly #otherwise: Recording;

  /** @param policy valid, with its defaults */
  constructor(policy: Pick<Policy, 'rules' | 'omitStages' | 'omitManagedFields'>) {
    const { rules, omitStages = [], omitManagedFields = false } = policy;
    this.#rules = (rules ?? []).map((rule) => new Rule(rule, omitStages, omitManagedFields));
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
  }

  recording(request: AuditedRequest): Recording {
    for (const rule of this.#rules) if (rule.matches(request)) return rule.recording;
    return this.#otherwise;
  }
}

export const unionOf = (some: readonly string[], more: readonly string[]): ReadonlySet<string> => new Set([...some, ...more]);

class Rule {
  readonly recording: Recording;
  readonly #users: ReadonlySet<string>;
  readonly #groups: ReadonlySet<string>;
  readonly #verbs: ReadonlySet<string>;
  readonly #namespaces: ReadonlySet<string>;
  readonly #resources: readonly Resources[];
  readonly #paths: readonly string[];

  constructor(rule: PolicyRule, omitStages: readonly string[], omitManagedFields: boolean) {
    this.recording = {
      level: rule.level as Level,
      omitStages: unionOf(omitStages, rule.omitStages ?? []),
      omitManagedFields: rule.omitManagedFields ?? omitManagedFields,
    };
    this.#users = new Set(rule.users);
    this.#groups = new Set(rule.userGroups);
    this.#verbs = new Set(rule.verbs);
    this.#namespaces = new Set(rule.namespaces);
    this.#resources = (rule.resources ?? []).map((each) => new Resources(each));
    this.#paths = rule.nonResourceURLs ?? [];
  }

  matches(request: AuditedRequest): boolean {
    const { user, verb } = request;
    if (this.#users.size > 0 && (user === undefined || !this.#users.has(user.name))) return false;
    if (this.#groups.size > 0 && user?.groups.some((group) => this.#groups.has(group)) !== true) return false;
    if (this.#verbs.size > 0 && !this.#verbs.has(verb)) return false;
    if (this.#namespaces.size > 0 || this.#resources.length > 0) return this.#matchesResource(request);
    return this.#paths.length === 0 || (!request.isResource && this.#paths.some((path) => matchesPath(path, request.path)));
  }

  #matchesResource(request: AuditedRequest): boolean {
    if (!request.isResource) return false;
    if (this.#namespaces.size > 0 && !this.#namespaces.has(request.namespace)) return false;
    return this.#resources.length === 0 || this.#resources.some((each) => each.have(request));
  }
}

class Resources {
  readonly #group: string;
  /** such as `pods`, `pods/log`, `pods/*`, `*\/scale` and `*` */
  readonly #patterns: ReadonlySet<string>;
  readonly #names: ReadonlySet<string>;

  constructor({ group = '', resources, resourceNames }: GroupResources) {
    this.#group = group;
    this.#patterns = new Set(resources);
    this.#names = new Set(resourceNames);
  }

  have({ group, resource, subresource, name }: AuditedRequest): boolean {
    if (group !== this.#group) return false;
    const patterns = this.#patterns;
    if (patterns.size === 0) return true;
    if (this.#names.size > 0 && !this.#names.has(name)) return false;
    if (patterns.has('*') || patterns.has(`${resource}/*`)) return true;
    return subresource === '' ? patterns.has(resource) : patterns.has(`${resource}/${subresource}`) || patterns.has(`*/${subresource}`);
  }
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern.endsWith('*') ? path.startsWith(pattern.replace(/\*+$/, '')) : pattern === path;
}
