/** Whom the tokens may be for that a node agent asks for on behalf of a pod: those that the pod's volumes name, and their drivers. */

import type { Volume } from '../../../generated/core/v1/types.ts';
import { aggregateText } from '../../contract/aggregate-text.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ApiObject } from '../../contract/object.ts';
import { goQuote } from '../../go-text/quote.ts';
import { claimOf } from '../../kinds/core/pods/pod-references.ts';

/** Objects as they are stored now. @param namespace '' for what has none */
export type StoredVolumes = (
  resource: 'persistentvolumeclaims' | 'persistentvolumes' | 'csidrivers',
  namespace: string,
  name: string,
) => ApiObject | undefined;

/** Kinds of objects, as texts about those that are missing name them. */
const MISSING = {
  persistentvolumeclaims: 'persistentvolumeclaim',
  persistentvolumes: 'persistentvolume',
  csidrivers: 'csidriver.storage.${groupDomain}',
};

/**
 * @param audiences that the agent asks for; none stands for those of this API
 * @param text as the dialect has it
 * @returns why not, undefined where it may
 */
export function forbiddenAudience(
  audiences: readonly string[],
  pod: ApiObject,
  stored: StoredVolumes,
  text: Identity['text'],
): string | undefined {
  const [audience = '', ...others] = audiences;
  if (others.length > 0) return 'node may only request 0 or 1 audiences';
  const drivers = new VolumeDrivers(stored, text);
  const volumes: readonly Volume[] = pod.spec.volumes ?? [];
  if (volumes.some((volume) => wants(projectedTokens(volume), audience) || drivers.want(volume, pod, audience))) return undefined;
  const missing = aggregateText(drivers.missing);
  return missing === ''
    ? `audience ${goQuote(audience)} not found in pod spec volume`
    : `error validating audience ${goQuote(audience)}: ${missing}`;
}

interface WantedToken {
  readonly audience?: string;
}

const wants = (tokens: readonly WantedToken[] | undefined, audience: string): boolean =>
  (tokens ?? []).some((token) => (token.audience ?? '') === audience);

const projectedTokens = ({ projected }: Volume): WantedToken[] =>
  (projected?.sources ?? []).flatMap(({ serviceAccountToken }) => serviceAccountToken ?? []);

/** Looks up which tokens the drivers of volumes want, and keeps which objects on the way are missing. */
class VolumeDrivers {
  readonly missing: string[] = [];
  readonly #stored: StoredVolumes;
  readonly #text: Identity['text'];

  constructor(stored: StoredVolumes, text: Identity['text']) {
    this.#stored = stored;
    this.#text = text;
  }

  want(volume: Volume, pod: ApiObject, audience: string): boolean {
    const driver = volume.csi?.driver ?? this.#claimed(volume, pod);
    return driver !== undefined && wants(this.#object('csidrivers', '', driver)?.spec.tokenRequests, audience);
  }

  /** The driver of the persistent volume behind the claim of a volume, if it has one. */
  #claimed(volume: Volume, { metadata }: ApiObject): string | undefined {
    const claim = claimOf(volume, metadata.name);
    if (claim === undefined) return undefined;
    const claimed = this.#object('persistentvolumeclaims', metadata.namespace ?? '', claim);
    return claimed && this.#object('persistentvolumes', '', claimed.spec.volumeName ?? '')?.spec.csi?.driver;
  }

  #object(resource: keyof typeof MISSING, namespace: string, name: string): ApiObject | undefined {
    const object = this.#stored(resource, namespace, name);
    if (object === undefined) this.missing.push(`${this.#text(MISSING[resource])} ${goQuote(name)} not found`);
    return object;
  }
}
