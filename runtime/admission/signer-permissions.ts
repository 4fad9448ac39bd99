/** Leave of signers: who approves, signs or attests for one needs the verb on it, or on all of its domain, besides leave to write the object. */
import type { Identity } from '../contract/identity.ts';
import type { AdmissionAttributes, Authorizer, User } from '../endpoints/api-server.ts';
import { goQuote } from '../kinds/go-quote.ts';
import { deepEqual } from '../schema/equal.ts';
import { newForbidden } from '../status/status.ts';
import type { AdmissionPlugin } from './chain.ts';

const REQUESTS = 'certificatesigningrequests';

export function certificateApproval(identity: Identity, authorizer: Authorizer): AdmissionPlugin {
  const signers = new Signers(identity, authorizer);
  return {
    name: 'CertificateApproval',
    async validate(attributes) {
      const { operation, subresource, old } = attributes;
      if (!signers.isAbout(attributes, REQUESTS) || operation !== 'update' || subresource !== 'approval') return;
      await signers.require(attributes, 'approve', old?.spec.signerName, 'approve requests with');
    },
  };
}

export function certificateSigning(identity: Identity, authorizer: Authorizer): AdmissionPlugin {
  const signers = new Signers(identity, authorizer);
  return {
    name: 'CertificateSigning',
    async validate(attributes) {
      const { operation, subresource, object, old } = attributes;
      if (!signers.isAbout(attributes, REQUESTS) || operation !== 'update' || subresource !== 'status') return;
      const { certificate, conditions = [] } = object?.status ?? {};
      if (certificate === old?.status?.certificate && deepEqual(conditions, old?.status?.conditions ?? [])) return;
      await signers.require(attributes, 'sign', old?.spec.signerName, 'sign requests with');
    },
  };
}

export function clusterTrustBundleAttest(identity: Identity, authorizer: Authorizer): AdmissionPlugin {
  const signers = new Signers(identity, authorizer);
  return {
    name: 'ClusterTrustBundleAttest',
    async validate(attributes) {
      const { operation, object, old } = attributes;
      if (!signers.isAbout(attributes, 'clustertrustbundles') || operation === 'delete') return;
      if (operation === 'update' && deepEqual(object?.spec, old?.spec)) return;
      const signer = object?.spec.signerName ?? '';
      if (signer !== '') await signers.require(attributes, 'attest', signer, 'attest for');
    },
  };
}

class Signers {
  readonly #group: string;
  readonly #authorizer: Authorizer;

  constructor(identity: Identity, authorizer: Authorizer) {
    this.#group = identity.text('certificates.${groupDomain}');
    this.#authorizer = authorizer;
  }

  isAbout({ resource: { groupResource } }: AdmissionAttributes, resource: string): boolean {
    return groupResource.resource === resource && groupResource.group === this.#group;
  }

  /** @throws StatusError Forbidden */
  async require({ resource, name, user }: AdmissionAttributes, verb: string, signer: string, doing: string): Promise<void> {
    if (await this.#allows(user, verb, signer)) return;
    if (await this.#allows(user, verb, `${signer.split('/')[0]}/*`)) return;
    throw newForbidden(resource.groupResource, name, `user not permitted to ${doing} signerName ${goQuote(signer)}`);
  }

  async #allows(user: User, verb: string, name: string): Promise<boolean> {
    const attributes = { user, isResource: true, verb, path: '', version: '*', namespace: '', resource: 'signers', subresource: '', name };
    return (await this.#authorizer.authorize({ ...attributes, group: this.#group })).decision === 'allow';
  }
}
