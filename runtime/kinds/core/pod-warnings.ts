/** What is said to people about pods that are accepted, but hold something outdated or doubtful. */
import type { RuleContext } from '../../contract/kind.ts';
import type { Struct } from '../struct.ts';
import { containersOf } from './containers.ts';
import { isWhole } from './quantities.ts';

/** @param old absent for a new template; warnings are only for what the writer has changed, so callers compare the specs first */
export function podTemplateWarnings(template: Struct, path: string, context: RuleContext): string[] {
  const spec: Struct = template?.spec ?? {};
  return [
    ...labelWarnings(spec, `${path}spec`, context),
    ...volumeWarnings(spec.volumes, `${path}spec.volumes`),
    ...containersOf(spec, `${path}spec`).flatMap(({ container, path: at }) => [
      ...environmentWarnings(container.env, `${at}.env`),
      ...resourceWarnings(container.resources, `${at}.resources`),
    ]),
    ...listWarnings(spec, `${path}spec`),
    ...fieldWarnings(spec, `${path}spec`),
  ];
}

const DEPRECATED_LABELS: Readonly<Record<string, string>> = {
  'beta.${labelDomain}/arch': 'deprecated since v1.14; use "${labelDomain}/arch" instead',
  'beta.${labelDomain}/os': 'deprecated since v1.14; use "${labelDomain}/os" instead',
  'failure-domain.beta.${labelDomain}/region': 'deprecated since v1.17; use "topology.${labelDomain}/region" instead',
  'failure-domain.beta.${labelDomain}/zone': 'deprecated since v1.17; use "topology.${labelDomain}/zone" instead',
  'beta.${labelDomain}/instance-type': 'deprecated since v1.17; use "node.${labelDomain}/instance-type" instead',
};

function labelWarnings(spec: Struct, path: string, context: RuleContext): string[] {
  const deprecated = new Map(Object.entries(DEPRECATED_LABELS).map(([key, text]) => [context.text(key), context.text(text)]));
  const say = (key: string, at: string): string[] => (deprecated.has(key) ? [`${at}: ${deprecated.get(key)}`] : []);
  const affinity: Struct = spec.affinity?.nodeAffinity;
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  const terms: { term: Struct; at: string }[] = [
    ...((affinity?.[required]?.nodeSelectorTerms ?? []) as Struct[]).map((term, i) => ({
      term,
      at: `${path}.affinity.nodeAffinity.${required}.nodeSelectorTerms[${i}]`,
    })),
    ...((affinity?.[preferred] ?? []) as Struct[]).map(({ preference }, i) => ({
      term: preference,
      at: `${path}.affinity.nodeAffinity.${preferred}[${i}].preference`,
    })),
  ];
  return [
    ...Object.keys(spec.nodeSelector ?? {}).flatMap((key) => say(key, `${path}.nodeSelector[${key}]`)),
    ...terms.flatMap(({ term, at }) =>
      ((term?.matchExpressions ?? []) as Struct[]).flatMap(({ key = '' }, i) => say(key, `${at}.matchExpressions[${i}].key`)),
    ),
    ...((spec.topologySpreadConstraints ?? []) as Struct[]).flatMap(({ topologyKey = '' }, i) =>
      say(topologyKey, `${path}.topologySpreadConstraints[${i}].topologyKey`),
    ),
  ];
}

/** Kinds of volumes that are going, and what is said of them. */
const DEPRECATED_VOLUMES: Readonly<Record<string, string>> = {
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  gitRepo: 'deprecated in v1.11',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  flocker: 'deprecated in v1.22, non-functional in v1.25+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  quobyte: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

function volumeWarnings(volumes: readonly Struct[] | undefined, path: string): string[] {
  return (volumes ?? []).flatMap((volume, index) =>
    Object.entries(DEPRECATED_VOLUMES)
      .filter(([source]) => volume[source] !== undefined)
      .map(([source, text]) => `${path}[${index}].${source}: ${text}`),
  );
}

function environmentWarnings(variables: readonly Struct[] | undefined, path: string): string[] {
  const values = new Map<string, string>();
  return (variables ?? []).flatMap(({ name = '', value = '' }, index) => {
    const known = values.get(name);
    values.set(name, value);
    // A value that builds on the one before is meant to.
    if (known === undefined || value.includes(`$(${name})`)) return [];
    return [`${path}[${index}]: hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`];
  });
}

const BYTES = ['memory', 'ephemeral-storage'];

function resourceWarnings(resources: Struct, path: string): string[] {
  return ['requests', 'limits'].flatMap((list) =>
    Object.entries((resources?.[list] ?? {}) as Record<string, string>)
      .filter(([name, text]) => BYTES.includes(name) && !isWhole(text))
      .map(([name, text]) => `${path}.${list}[${name}]: fractional byte value ${JSON.stringify(text)} is invalid, must be an integer`),
  );
}

function listWarnings(spec: Struct, path: string): string[] {
  const secrets = ((spec.imagePullSecrets ?? []) as Struct[]).flatMap(({ name }, index) =>
    name ? [] : [`${path}.imagePullSecrets[${index}].name: invalid empty name ""`],
  );
  const seen = new Set<string>();
  const aliases = ((spec.hostAliases ?? []) as Struct[]).flatMap(({ ip = '' }, index) => {
    const again = seen.has(ip);
    seen.add(ip);
    return again ? [`${path}.hostAliases[${index}].ip: duplicate ip ${JSON.stringify(ip)}`] : [];
  });
  return [...secrets, ...aliases];
}

function fieldWarnings(spec: Struct, path: string): string[] {
  const grace: unknown = spec.terminationGracePeriodSeconds;
  return typeof grace === 'number' && grace < 0
    ? [`${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`]
    : [];
}
