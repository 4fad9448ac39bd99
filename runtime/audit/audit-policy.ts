/** Decides by an audit policy which requests are recorded, and how much of each. The first matching rule decides, as in 1.32. */
import type { GroupResources, Policy, PolicyRule } from '../../generated/audit/v1/types.ts';

/** The levels in ascending order. */
const LEVELS = ['None', 'Metadata', 'Request', 'RequestResponse'] as const;
export type Level = (typeof LEVELS)[number];

export type Stage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

export const isAtLeast = (level: Level, least: Level): boolean => LEVELS.indexOf(level) >= LEVELS.indexOf(least);

/** The parts of a request that a policy matches. */
export interface AuditedRequest {
  readonly verb: string;
  readonly isResource: boolean;
  readonly path: string;
  /** this member and the following ones are empty if the request does not have them */
  readonly namespace: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly name: string;
}

/** The user of a request. Objects must not be changed, because results are cached by them. */
export interface AuditedUser {
  readonly name: string;
  readonly groups: readonly string[];
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
  /** the few rules that may match, by user and verb */
  readonly #candidates = new WeakMap<AuditedUser, Map<string, readonly Rule[]>>();

  /** @param policy valid, with its defaults */
  constructor(policy: Pick<Policy, 'rules' | 'omitStages' | 'omitManagedFields'>) {
    const { rules, omitStages = [], omitManagedFields = false } = policy;
    this.#rules = (rules ?? []).map((rule) => new Rule(rule, omitStages, omitManagedFields));
    this.#otherwise = { level: 'None', omitStages: new Set(omitStages), omitManagedFields };
  }

  /** @param user undefined if the user is not known yet */
  recording(request: AuditedRequest, user: AuditedUser | undefined): Recording {
    const { verb } = request;
    if (user === undefined || this.#rules.length < MANY) {
      for (const rule of this.#rules) if (rule.matchesUser(user, verb) && rule.matchesTarget(request)) return rule.recording;
    } else for (const rule of this.#candidatesFor(user, verb)) if (rule.matchesTarget(request)) return rule.recording;
    return this.#otherwise;
  }

  #candidatesFor(user: AuditedUser, verb: string): readonly Rule[] {
    let byVerb = this.#candidates.get(user);
    if (byVerb === undefined) {
      byVerb = new Map();
      this.#candidates.set(user, byVerb);
    }
    let found = byVerb.get(verb);
    if (found === undefined) {
      found = this.#rules.filter((rule) => rule.matchesUser(user, verb));
      byVerb.set(verb, found);
    }
    return found;
  }
}

/** The number of rules from which on looking up the candidates is quicker than trying all rules. */
const MANY = 4;

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

  matchesUser(user: AuditedUser | undefined, verb: string): boolean {
    if (this.#users.size > 0 && (user === undefined || !this.#users.has(user.name))) return false;
    if (this.#groups.size > 0 && user?.groups.some((group) => this.#groups.has(group)) !== true) return false;
    return this.#verbs.size === 0 || this.#verbs.has(verb);
  }

  /** Tells whether the rule matches the resource or the path of the request. */
  matchesTarget(request: AuditedRequest): boolean {
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
