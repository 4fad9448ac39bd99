/**
 * The subresource `scale`: a small object of one form, in which every kind with a number of replicas shows and changes that number.
 * Where the number and the selector stand in the parent is declared by its resource (`SubresourceData.scale`).
 */
import { type FieldError, invalid } from '../../contract/field-error.ts';
import type { SubresourceData } from '../../contract/kind.ts';
import type { KindRules } from '../../contract/kind-rules.ts';
import type { ApiObject } from '../../contract/object.ts';
import { isObject } from '../../schema/json/member.ts';
import { isRawNumber } from '../../schema/scalar/raw-number.ts';
import { selectorText } from '../../selectors/label-selector.ts';
import { joined, NONE } from '../../validation/joined.ts';
import { validateObjectMeta } from '../metadata/object-meta.ts';

export type ScaleData = NonNullable<SubresourceData['scale']>;

/** The parent has no number of replicas to show: possible for custom kinds alone, whose replicas have no default. */
export class ReplicasMissing extends Error {
  /** @param path dotted path of the number, as declared */
  constructor(path: string, what = 'does not exist') {
    super(`the spec replicas field ".${path.replace(/^\./, '')}" ${what}`);
  }
}

/**
 * @param parent of the version in which the paths are declared
 * @param absent number of replicas of a parent that has none
 * @returns a Scale of autoscaling/v1 that shares nothing with the parent
 * @throws ReplicasMissing
 */
export function scaleOf(parent: ApiObject, data: ScaleData, absent?: number): ApiObject {
  const replicas = numberAt(parent, data.specReplicas) ?? absent;
  if (replicas === undefined) throw new ReplicasMissing(data.specReplicas);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = parent.metadata;
  const selector = textOf(at(parent, data.selector), data);
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, ...(namespace !== undefined && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: numberAt(parent, data.statusReplicas) ?? 0, ...(selector !== '' && { selector }) },
  };
}

/** Writes the number of replicas of a Scale, 0 where it has none, into `parent`, and nothing else. @returns the path of null or another value in its way */
export function applyScale(parent: ApiObject, scale: ApiObject, data: ScaleData): string | undefined {
  const path = memberNames(data.specReplicas);
  const last = path.pop() as string;
  let target = parent as Record<string, unknown>;
  for (const [index, name] of path.entries()) {
    if (target[name] === undefined) target[name] = {};
    if (!isObject(target[name])) return `.${path.slice(0, index + 1).join('.')}`;
    target = target[name] as Record<string, unknown>;
  }
  target[last] = scale.spec?.replicas ?? 0;
  return undefined;
}

/** Of its metadata nothing is stored but the owners of fields: it is looked at all the same. */
export function validateScale(scale: ApiObject): readonly FieldError[] {
  const replicas = scale.spec?.replicas ?? 0;
  return joined(
    validateObjectMeta(scale.metadata, { namespaced: true, nameFormat: 'dnsSubdomain' }),
    replicas < 0 ? [invalid('spec.replicas', replicas, 'must be greater than or equal to 0')] : NONE,
  );
}

export const rules: KindRules = {
  validate: validateScale,
};

/** @param selector a text, a map of labels (`selectorIsMap`), or a label selector */
function textOf(selector: unknown, data: ScaleData): string {
  if (typeof selector === 'string') return selector;
  return selectorText(data.selectorIsMap ? { matchLabels: (selector ?? {}) as Record<string, string> } : (selector as object | undefined));
}

function at(object: ApiObject, path: string): unknown {
  return memberNames(path).reduce<unknown>((value, name) => (value as Record<string, unknown> | null | undefined)?.[name], object);
}

/** Longer numbers lose their first bits, as in 1.32. */
function numberAt(object: ApiObject, path: string): number | undefined {
  const number = at(object, path) ?? undefined;
  return isRawNumber(number) ? Number(BigInt.asIntN(32, BigInt(number.rawJSON))) : number && (number as number) | 0;
}

function memberNames(path: string): string[] {
  return path.split('.').filter((name) => name !== '');
}
