import type { Identity } from '../../contract/identity.ts';

/** Labels of the cluster's own domains that node agents may set. */
const KNOWN = [
  '${labelDomain}/hostname',
  '${labelDomain}/os',
  '${labelDomain}/arch',
  'topology.${labelDomain}/zone',
  'topology.${labelDomain}/region',
  'failure-domain.beta.${labelDomain}/zone',
  'failure-domain.beta.${labelDomain}/region',
  'beta.${labelDomain}/instance-type',
  'beta.${labelDomain}/os',
  'beta.${labelDomain}/arch',
];

/**
 * Which labels of its node an agent may set: of the cluster's own domains only known ones. So those of the domain `node-restriction` in it are for
 * administrators alone.
 */
export class NodeLabels {
  readonly #known: ReadonlySet<string>;
  readonly #own: readonly string[];
  readonly #free: readonly string[];

  constructor({ text }: Identity) {
    this.#known = new Set(KNOWN.map(text));
    this.#own = [text('${labelDomain}'), text('${groupDomain}')];
    this.#free = [text('kubelet.${labelDomain}'), text('node.${labelDomain}')];
  }

  /** @returns keys that were set, changed or removed though they may not, sorted */
  forbidden(labels: Readonly<Record<string, string>> = {}, old: Readonly<Record<string, string>> = {}): string[] {
    const keys = new Set([...Object.keys(labels), ...Object.keys(old)]);
    return [...keys].filter((key) => labels[key] !== old[key] && this.#isForbidden(key)).sort();
  }

  #isForbidden(key: string): boolean {
    const slash = key.indexOf('/');
    const domain = slash < 0 ? '' : key.slice(0, slash);
    const within = (outer: string): boolean => domain === outer || domain.endsWith(`.${outer}`);
    return this.#own.some(within) && !this.#known.has(key) && !this.#free.some(within);
  }
}
