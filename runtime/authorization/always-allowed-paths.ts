/** Paths that everybody may access, whatever the other authorizers say. */
import type { AccessAttributes, Authorizer, Decision } from './authorizer.ts';
import type { UserRules } from './user-rules.ts';

const ALLOWED: Decision = { decision: 'allow', reason: '' };
const NO_OPINION: Decision = { decision: 'noOpinion', reason: '' };
const NO_RULES: UserRules = { resourceRules: [], nonResourceRules: [], incomplete: false };

export class AlwaysAllowedPaths implements Authorizer {
  readonly #paths = new Set<string>();
  readonly #prefixes: string[] = [];

  /**
   * @param paths with or without a leading slash; a `*` at the end matches anything
   * @throws Error for a path with a `*` elsewhere
   */
  constructor(paths: readonly string[]) {
    for (const path of paths) {
      const plain = path.replace(/^\//, '');
      const star = plain.indexOf('*');
      if (star !== -1 && star < plain.length - 1)
        throw new Error(`--authorization-always-allow-paths: only a * at the end is allowed in ${JSON.stringify(path)}`);
      if (star === -1) this.#paths.add(plain);
      else this.#prefixes.push(plain.slice(0, -1));
    }
  }

  authorize({ isResource, path }: AccessAttributes): Decision {
    if (isResource) return NO_OPINION;
    const plain = path.replace(/^\//, '');
    return this.#paths.has(plain) || this.#prefixes.some((prefix) => plain.startsWith(prefix)) ? ALLOWED : NO_OPINION;
  }

  rules(): UserRules {
    return NO_RULES;
  }
}
