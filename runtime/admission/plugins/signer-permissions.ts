/** Leave of signers: who approves, signs or attests for one needs the verb on it, or on all of its domain, besides leave to write the object. */

import { goQuote } from '../../go-text/quote.ts';
import { deepEqual } from '../../schema/equal.ts';
import type { AdmissionPlugin, PluginParts } from '../plugin-interface/plugin.ts';
import { forbidden, only } from '../plugin-interface/refusal.ts';
import type { AdmissionAttributes } from '../request/attributes.ts';

/** One plugin: whose leave a write of a resource needs. */
interface SignerPermission {
  readonly resource: string;
  readonly subresource: string;
  /** the verb on the signer that the writer needs a right for */
  readonly verb: string;
  /** what the writer is not permitted to do, in the words of 1.32 */
  readonly doing: string;
  /** @returns the signer that a create or update acts for; undefined if it acts for none */
  signer(attributes: AdmissionAttributes): string | undefined;
}

const REQUESTS = 'certificatesigningrequests';

export const certificateApproval = requiring({
  resource: REQUESTS,
  subresource: 'approval',
  verb: 'approve',
  doing: 'approve requests with',
  signer: ({ old }) => old?.spec.signerName,
});

export const certificateSigning = requiring({
  resource: REQUESTS,
  subresource: 'status',
  verb: 'sign',
  doing: 'sign requests with',
  signer({ object, old }) {
    const { certificate, conditions = [] } = object?.status ?? {};
    const isSigned = certificate !== old?.status?.certificate || !deepEqual(conditions, old?.status?.conditions ?? []);
    return isSigned ? old?.spec.signerName : undefined;
  },
});

export const clusterTrustBundleAttest = requiring({
  resource: 'clustertrustbundles',
  subresource: '',
  verb: 'attest',
  doing: 'attest for',
  signer: ({ object, old }) => (deepEqual(object?.spec, old?.spec) ? undefined : object?.spec.signerName),
});

function requiring({ resource, subresource, verb, doing, signer }: SignerPermission) {
  return ({ identity: { text }, authorizer }: Pick<PluginParts, 'identity' | 'authorizer'>): AdmissionPlugin => {
    const group = text('certificates.${groupDomain}');
    const allows = async ({ user, request }: AdmissionAttributes, name: string): Promise<boolean> => {
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
      return (await authorizer.authorize(attributes, request)).decision === 'allow';
    };
    const requireLeave = async (attributes: AdmissionAttributes, name: string): Promise<void> => {
      if ((await allows(attributes, name)) || (await allows(attributes, `${name.split('/')[0]}/*`))) return;
      throw forbidden(attributes, `user not permitted to ${doing} signerName ${goQuote(name)}`);
    };
    return {
      concerns: only(group, resource),
      validate(attributes) {
        const { groupResource } = attributes.resource;
        if (groupResource.resource !== resource || groupResource.group !== group || attributes.subresource !== subresource) return;
        const name = attributes.operation === 'delete' ? undefined : signer(attributes);
        return name === undefined || name === '' ? undefined : requireLeave(attributes, name);
      },
    };
  };
}
