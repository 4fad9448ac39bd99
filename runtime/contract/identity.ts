/** The names and behaviours of one dialect: the rows of `schemas/identity.yaml`, chosen by `--dialect`. */
export type Dialect = 'cluster' | 'kubernetes';

export interface IdentityData {
  readonly names: Readonly<Record<string, Readonly<Record<Dialect, string>>>>;
  readonly behaviour: Readonly<Record<string, Readonly<Record<Dialect, unknown>>>>;
}

export interface Identity {
  readonly dialect: Dialect;
  /** the values of the names that templates may contain, by name, such as `groupDomain` */
  readonly names: Readonly<Record<string, string>>;
  /** the status code of a successful create */
  readonly createStatus: 200 | 201;
  /** the name in the last line of verbose health output; null for the name of the check that was requested */
  readonly healthPassedName: string | null;
  /** whether the whole bootstrap token is the key of signatures; otherwise only its secret part is */
  readonly signsWithFullToken: boolean;
  /** whether nodes get NoExecute taints only after they have not been ready for the grace period; otherwise they get them as soon as that is noticed */
  readonly evictsAfterGracePeriod: boolean;
  /** whether an empty parameter `dryRun` makes a request a dry run */
  readonly emptyDryRun: boolean;
  /** whether `application/yaml` is read and written, and not only in apply patches */
  readonly yaml: boolean;
  /** whether the header `If-Match` makes a write conditional */
  readonly ifMatch: boolean;
  /** whether a request that an authorizer could not judge, and that nobody allowed, is forbidden; otherwise it is answered with an internal error */
  readonly failedAuthorizationForbids: boolean;
  /** whether configurations of authorization follow the specification; otherwise they follow 1.32 */
  readonly authorizationFileAsSpecified: boolean;
  /** whether the object of a bookmark has only its version; otherwise it also has the members that its type always writes */
  readonly bareBookmarks: boolean;
  /** whether `X-Remote-User` and the like count if no flag names headers of authenticating proxies; otherwise only headers that flags name count */
  readonly usualProxyHeaders: boolean;
  /**
   * Whether whoever resets the owners of an object owns what the same write changes, and an empty list of owners alone resets nothing (specification: Server-side
   * apply rule 9). Otherwise any reset leaves nobody.
   */
  readonly resetsLeaveChanges: boolean;
  /** Replaces every `${name}` in a template by its value. @throws Error if the table does not have the name */
  text(template: string): string;
  /** Applies `text` to every text and key in a JSON value. It does not change the value, but may return parts of it. */
  resolve<T>(value: T): T;
}

/** The most templates whose texts are cached. */
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
  // rules use the same few templates for every object
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
