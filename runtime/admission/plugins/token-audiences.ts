/** Whom the tokens may be for that a node agent asks for on behalf of a pod: those that the pod's volumes name, and their drivers. */
import type { Volume } from '../../../generated/core/v1/types.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';
import { namesOf, podVolumeClaims } from '../../kinds/core/pods/pod-references.ts';

/** Objects as they are stored now. @param namespace '' for what has none */
export type StoredVolumes = (
  resource: 'persistentvolumeclaims' | 'persistentvolumes' | 'csidrivers',
  namespace: string,
  name: string,
) => ApiObject | undefined;

/** @param audiences that the agent asks for; none stands for those of this API. @returns why not, undefined where it may */
export function forbiddenAudience(audiences: readonly string[], pod: ApiObject, stored: StoredVolumes): string | undefined {
  const [audience = '', ...others] = audiences;
  if (others.length > 0) return 'node may only request 0 or 1 audiences';
  const wants = (sources: readonly { readonly audience?: string }[] | undefined): boolean =>
    (sources ?? []).some((source) => (source.audience ?? '') === audience);
  const driverWants = (name: string): boolean => wants(stored('csidrivers', '', name)?.spec.tokenRequests);
  const volumes: readonly Volume[] = pod.spec.volumes ?? [];
  const projected = volumes.flatMap((volume) => volume.projected?.sources ?? []).flatMap((source) => source.serviceAccountToken ?? []);
  if (wants(projected)) return undefined;
  const drivers = [...volumes.flatMap(({ csi }) => (csi === undefined ? [] : csi.driver)), ...claimedDrivers(pod, stored)];
  return drivers.some(driverWants) ? undefined : `audience ${goQuote(audience)} not found in pod spec volume`;
}

/** Returns the drivers of the persistent volumes behind a pod's claims. */
function claimedDrivers(pod: ApiObject, stored: StoredVolumes): string[] {
  return [...namesOf(podVolumeClaims(pod))].flatMap((claim) => {
    const volume: string = stored('persistentvolumeclaims', pod.metadata.namespace ?? '', claim)?.spec.volumeName ?? '';
    const driver: string = (volume && stored('persistentvolumes', '', volume)?.spec.csi?.driver) || '';
    return driver === '' ? [] : [driver];
  });
}
