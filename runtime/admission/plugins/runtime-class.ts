/** Pods of a runtime class get what it takes besides their containers, and where its nodes are. */
import type { PodSpec, Toleration } from '../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';
import { compareQuantities, parseQuantity } from '../../schema/scalar/quantity.ts';
import type { AdmissionPlugin, Followed, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden, isPod, onlyPods } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';
import { mergedTolerations } from './tolerations.ts';

type Amounts = Readonly<Record<string, string>>;

export function runtimeClass({ followed }: PluginParts): AdmissionPlugin {
  const classes = followed('runtimeclasses');
  return {
    concerns: onlyPods,
    mutate(attributes) {
      if (attributes.operation !== 'create' || !isPod(attributes)) return;
      const spec = attributes.object?.spec as PodSpec;
      const found = classOf(attributes, spec, classes);
      if (found === undefined) return;
      setOverhead(attributes, spec, found.overhead?.podFixed);
      setScheduling(attributes, spec, found.scheduling);
    },
    validate(attributes) {
      if (attributes.operation !== 'create' || !isPod(attributes)) return;
      const spec = attributes.object?.spec as PodSpec;
      const found = classOf(attributes, spec, classes);
      const given = spec.overhead as Amounts | undefined;
      if (found?.overhead !== undefined) requireSame(attributes, given ?? {}, found.overhead.podFixed ?? {});
      else if (given !== undefined)
        throw forbidden(attributes, 'pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead');
    },
  };
}

/** @returns undefined for a pod that names none. @throws StatusError Forbidden */
function classOf(attributes: AdmissionAttributes, { runtimeClassName }: PodSpec, classes: Followed): ApiObject | undefined {
  if (runtimeClassName === undefined) return undefined;
  const found = classes.get('', runtimeClassName);
  if (found === undefined) throw forbidden(attributes, `pod rejected: RuntimeClass ${goQuote(runtimeClassName)} not found`);
  return found;
}

function setOverhead(attributes: AdmissionAttributes, spec: PodSpec, overhead: Amounts | undefined): void {
  if (overhead === undefined) return;
  if (spec.overhead !== undefined) requireSame(attributes, spec.overhead as Amounts, overhead);
  spec.overhead = { ...overhead };
}

function requireSame(attributes: AdmissionAttributes, given: Amounts, wanted: Amounts): void {
  const names = Object.keys(wanted);
  const isSame =
    names.length === Object.keys(given).length &&
    names.every((name) => given[name] !== undefined && isSameAmount(given[name], wanted[name] as string));
  if (!isSame) throw forbidden(attributes, "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead");
}

const isSameAmount = (a: string, b: string): boolean => compareQuantities(parseQuantity(a), parseQuantity(b)) === 0;

interface Scheduling {
  readonly nodeSelector?: Readonly<Record<string, string>>;
  readonly tolerations?: readonly Toleration[];
}

function setScheduling(attributes: AdmissionAttributes, spec: PodSpec, scheduling: Scheduling | undefined): void {
  if (scheduling === undefined) return;
  const { nodeSelector = {}, tolerations = [] } = scheduling;
  const own = spec.nodeSelector ?? {};
  for (const [key, value] of Object.entries(nodeSelector))
    if (own[key] !== undefined && own[key] !== value)
      throw forbidden(
        attributes,
        `conflict: runtimeClass.scheduling.nodeSelector[${key}] = ${value}; pod.spec.nodeSelector[${key}] = ${own[key]}`,
      );
  if (Object.keys(nodeSelector).length > 0) spec.nodeSelector = { ...own, ...nodeSelector };
  const merged = mergedTolerations(spec.tolerations ?? [], tolerations);
  if (merged.length > 0) spec.tolerations = merged;
}
