/** Counts claims and the storage that they request, for all storage classes and for each one by its name. */
import type { ApiObject } from '../../../contract/object.ts';
import { type Amounts, ONE, wholeQuantity } from '../../../schema/scalar/amounts.ts';
import { compareQuantities, parseQuantity, type Quantity } from '../../../schema/scalar/quantity.ts';
import { countName, type Evaluator, type EvaluatorParts, isWrite } from '../evaluator.ts';

const CLAIMS = 'persistentvolumeclaims';
const STORAGE = 'requests.storage';

export function persistentVolumeClaims({ text, featureEnabled }: EvaluatorParts): Evaluator {
  const count = countName('', CLAIMS);
  const ofClass = text('.storageclass.storage.${groupDomain}/');
  const classAnnotation = text('volume.beta.${labelDomain}/storage-class');
  const countsAllocated = featureEnabled('RecoverVolumeExpansionFailure');
  const names = new Set([count, CLAIMS, STORAGE]);
  const suffixes = [`${ofClass}${CLAIMS}`, `${ofClass}${STORAGE}`];
  return {
    plain: new Set([count, CLAIMS]),
    members: ['spec', 'status'],
    handles: isWrite,
    counts: (name) => names.has(name) || suffixes.some((suffix) => name.endsWith(suffix)),
    usage(claim): Amounts {
      const usage = new Map([
        [CLAIMS, ONE],
        [count, ONE],
      ]);
      const className: string = claim.metadata.annotations?.[classAnnotation] ?? claim.spec?.storageClassName ?? '';
      if (className !== '') usage.set(`${className}${ofClass}${CLAIMS}`, ONE);
      const storage = requestedStorage(claim, countsAllocated);
      if (storage === undefined) return usage;
      usage.set(STORAGE, storage);
      if (className !== '') usage.set(`${className}${ofClass}${STORAGE}`, storage);
      return usage;
    },
  };
}

/** Returns the storage of a claim in whole bytes. A claim that requests less than was allocated to it still counts with the allocated storage (KEP-1790). */
function requestedStorage({ spec, status }: ApiObject, countsAllocated: boolean): Quantity | undefined {
  const requested: string | undefined = spec?.resources?.requests?.storage;
  if (requested === undefined) return undefined;
  const wanted = wholeQuantity(parseQuantity(requested));
  const given: string | undefined = status?.allocatedResources?.storage;
  if (!countsAllocated || given === undefined) return wanted;
  const allocated = parseQuantity(given);
  return compareQuantities(allocated, wanted) > 0 ? wholeQuantity(allocated) : wanted;
}
