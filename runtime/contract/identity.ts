/** The names and behaviours of one dialect: the rows of `schemas/identity.yaml`, chosen by `--dialect`. */
export type Dialect = 'cluster' | 'kubernetes';

export interface IdentityData {
  readonly names: Readonly<Record<string, Readonly<Record<Dialect, string>>>>;
  readonly behaviour: Readonly<Record<string, Readonly<Record<Dialect, unknown>>>>;
}

export interface Identity {
  readonly dialect: Dialect;
  /** by name, such as `groupDomain` */
  readonly names: Readonly<Record<string, string>>;
  readonly createStatus: 200 | 201;
  /** name in the last line of verbose health output; null: the name of the check that was asked for */
  readonly healthPassedName: string | null;
  /** the whole bootstrap token is the key of signatures, not its secret part alone */
  readonly signsWithFullToken: boolean;
  /** nodes get NoExecute taints when they have not been ready for the grace period; else as soon as that is seen */
  readonly evictsAfterGracePeriod: boolean;
  readonly emptyDryRun: boolean;
  readonly yaml: boolean;
  readonly ifMatch: boolean;
  /** what an authorizer could not judge and nobody allowed is forbidden; else it is an internal error */
  readonly failedAuthorizationForbids: boolean;
  /** configurations of authorization are as the specification has them, not as 1.32 does */
  readonly authorizationFileAsSpecified: boolean;
  /** bookmarks have their version alone; else what their type always writes as well */
  readonly bareBookmarks: boolean;
  /** authenticating proxies use `X-Remote-User` and the like where no flag names other headers; else none counts that no flag names */
  readonly usualProxyHeaders: boolean;
  /** Substitutes every `${name}`. @throws Error for a name that the table does not have */
  text(template: string): string;
  /** `text` of every string and key in a JSON value; the same value where nothing changes */
  resolve<T>(value: T): T;
}

/** Templates whose texts are kept. */
const MAX_KNOWN = 2_000;

export function createIdentity(data: IdentityData, dialect: Dialect): Identity {
  const names = Object.fromEntries(Object.entries(data.names).map(([name, row]) => [name, row[dialect]]));
  const behaviour = Object.fromEntries(Object.entries(data.behaviour).map(([name, row]) => [name, row[dialect]]));
  const substitute = (template: string): string =>
    template.replace(/\$\{(\w+)\}/g, (_, name: string) => {
      const value = names[name];
      if (value === undefined) throw new Error(`identity has no name ${name}, used in "${template}"`);
      return value;
    });
  // templates that rules name for every object
  const known = new Map<string, string>();
  const text = (template: string): string => {
    const found = known.get(template);
    if (found !== undefined) return found;
    const result = template.includes('${') ? substitute(template) : template;
    if (known.size < MAX_KNOWN) known.set(template, result);
    return result;
  };
  const resolve = (value: unknown): unknown => {
    if (typeof value === 'string') return value.includes('${') ? substitute(value) : value;
    if (value === null || typeof value !== 'object') return value;
    if (Array.isArray(value)) return value.map(resolve);
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key.includes('${') ? substitute(key) : key, resolve(member)]));
  };
  return { dialect, names, text, resolve: resolve as Identity['resolve'], ...behaviour } as Identity;
}
