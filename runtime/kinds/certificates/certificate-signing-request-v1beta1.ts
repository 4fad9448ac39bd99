/** In v1beta1 a request need not name its signer: that of node agents is told by what they ask for. */

import { type RequestedNames, requestedNames } from '../../certificates/requested-names.ts';
import type { Identity } from '../../contract/identity.ts';
import type { ConversionFunctions } from '../../contract/kind.ts';
import type { KindRules } from '../../contract/kind-rules.ts';

const NODES = 'system:nodes';
const NODE = 'system:node:';
/** of keys that cannot encrypt, and of those that can */
const USAGES = [['digital signature'], ['digital signature', 'key encipherment']];

export function rules({ text }: Identity): KindRules {
  const signers = {
    client: text('${labelDomain}/kube-apiserver-client-kubelet'),
    serving: text('${labelDomain}/kubelet-serving'),
    unknown: text('${labelDomain}/legacy-unknown'),
  };
  return {
    defaults: ({ spec }) => {
      spec.signerName ??= signers[purposeOf(Buffer.from(spec.request ?? '', 'base64').toString('latin1'), spec.usages ?? [])];
    },
  };
}

/** v1 has an empty name where this version has none. */
export const conversion: ConversionFunctions = {
  toHub: (object) => object,
  fromHub: (object) => {
    if (object.spec.signerName === '') delete object.spec.signerName;
    return object;
  },
};

function purposeOf(request: string, usages: readonly string[]): 'client' | 'serving' | 'unknown' {
  const names = requestedNames(request);
  if (names === undefined || !isNode(names)) return 'unknown';
  const { alternatives } = names;
  if (alternatives.length === 0 && isFor('client auth', usages)) return 'client';
  const isReachable = alternatives.length > 0 && alternatives.every((kind) => kind === 'dns' || kind === 'address');
  return isReachable && isFor('server auth', usages) ? 'serving' : 'unknown';
}

function isNode({ commonName, organizations }: RequestedNames): boolean {
  return organizations.length === 1 && organizations[0] === NODES && commonName.startsWith(NODE);
}

function isFor(purpose: string, usages: readonly string[]): boolean {
  const asked = new Set(usages);
  return USAGES.some((others) => asked.size === others.length + 1 && asked.has(purpose) && others.every((usage) => asked.has(usage)));
}
