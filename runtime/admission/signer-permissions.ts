/** Leave of signers: who approves, signs or attests for one needs the verb on it, or on all of its domain, besides leave to write the object. */

import type { Authorizer } from '../authorization/authorizer.ts';
import type { Identity } from '../contract/identity.ts';
import { goQuote } from '../go-text/quote.ts';
import { deepEqual } from '../schema/equal.ts';
import { newForbidden } from '../status/status.ts';
import type { AdmissionAttributes } from './attributes.ts';
import type { AdmissionPlugin } from './plugin.ts';

/** One plugin: whose leave a write of a resource needs. */
interface SignerPermission {
  readonly plugin: string;
  readonly resource: string;
  readonly subresource: string;
  /** on the signer */
  readonly verb: string;
  /** what the writer is not permitted to do, in the words of 1.32 */
  readonly doing: string;
  /** @returns the signer that a create or update speaks for; undefined where it speaks for none */
  signer(attributes: AdmissionAttributes): string | undefined;
}

const REQUESTS = 'certificatesigningrequests';

const PERMISSIONS: readonly SignerPermission[] = [
  {
    plugin: 'CertificateApproval',
    resource: REQUESTS,
    subresource: 'approval',
    verb: 'approve',
    doing: 'approve requests with',
    signer: ({ old }) => old?.spec.signerName,
  },
  {
    plugin: 'CertificateSigning',
    resource: REQUESTS,
    subresource: 'status',
    verb: 'sign',
    doing: 'sign requests with',
    signer({ object, old }) {
      const { certificate, conditions = [] } = object?.status ?? {};
      const isSigned = certificate !== old?.status?.certificate || !deepEqual(conditions, old?.status?.conditions ?? []);
      return isSigned ? old?.spec.signerName : undefined;
    },
  },
  {
    plugin: 'ClusterTrustBundleAttest',
    resource: 'clustertrustbundles',
    subresource: '',
    verb: 'attest',
    doing: 'attest for',
    signer: ({ object, old }) => (deepEqual(object?.spec, old?.spec) ? undefined : object?.spec.signerName),
  },
];

/** In the order in which they run. */
export function signerPermissions({ text }: Identity, authorizer: Authorizer): AdmissionPlugin[] {
  const group = text('certificates.${groupDomain}');
  const allows = async ({ user }: AdmissionAttributes, verb: string, name: string): Promise<boolean> => {
    const attributes = {
      user,
      isResource: true,
      verb,
      path: '',
      group,
      version: '*',
      namespace: '',
      resource: 'signers',
      subresource: '',
      name,
    };
    return (await authorizer.authorize(attributes)).decision === 'allow';
  };
  const requireLeave = async (attributes: AdmissionAttributes, name: string, verb: string, doing: string): Promise<void> => {
    if ((await allows(attributes, verb, name)) || (await allows(attributes, verb, `${name.split('/')[0]}/*`))) return;
    throw newForbidden(attributes.resource.groupResource, attributes.name, `user not permitted to ${doing} signerName ${goQuote(name)}`);
  };
  return PERMISSIONS.map(({ plugin, resource, subresource, verb, doing, signer }) => ({
    name: plugin,
    validate(attributes) {
      const { groupResource } = attributes.resource;
      if (groupResource.resource !== resource || groupResource.group !== group || attributes.subresource !== subresource) return;
      const name = attributes.operation === 'delete' ? undefined : signer(attributes);
      return name === undefined || name === '' ? undefined : requireLeave(attributes, name, verb, doing);
    },
  }));
}
