/** Whose leave it takes to approve, sign and attest: plugin by plugin, with and without the verb on the signer or on its domain. */
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  certificateApproval,
  certificateSigning,
  clusterTrustBundleAttest,
} from '../../../runtime/admission/plugins/signer-permissions.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import type { AccessAttributes, Authorizer } from '../../../runtime/authorization/authorizer.ts';
import { OWN_WORK } from '../../../runtime/contract/request-context.ts';
import type { Waiting } from '../../../runtime/outbound/shared-answer.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { identity } from '../../kinds/context.ts';

const test = suite('leave of signers');

const SIGNER = 'e.com/signer';
const request = (status: object = {}) => ({ spec: { signerName: SIGNER }, status });
const bundle = (signerName: string | undefined, trustBundle = 'a') => ({ spec: { signerName, trustBundle } });

interface Row {
  readonly name: string;
  readonly operation?: AdmissionAttributes['operation'];
  readonly resource?: string;
  readonly subresource?: string;
  readonly object?: object;
  readonly old?: object;
  /** the verb that is asked for, and what a refusal says; absent: nobody is asked */
  readonly asks?: readonly [verb: string, doing: string];
}

const APPROVE = ['approve', 'approve requests with'] as const;
const SIGN = ['sign', 'sign requests with'] as const;
const ATTEST = ['attest', 'attest for'] as const;
const BUNDLES = 'clustertrustbundles';

const rows: readonly Row[] = [
  { name: 'a request is changed', object: request(), old: request() },
  { name: 'a request is approved', subresource: 'approval', object: request(), old: request(), asks: APPROVE },
  { name: 'a status that says the same', subresource: 'status', object: request(), old: request({ conditions: [] }) },
  { name: 'a certificate', subresource: 'status', object: request({ certificate: 'x' }), old: request(), asks: SIGN },
  { name: 'a condition', subresource: 'status', object: request({ conditions: [{ type: 'Failed' }] }), old: request(), asks: SIGN },
  { name: 'a new bundle', operation: 'create', resource: BUNDLES, object: bundle(SIGNER), asks: ATTEST },
  { name: 'a bundle without a signer', operation: 'create', resource: BUNDLES, object: bundle(undefined) },
  { name: 'a bundle of the empty signer', operation: 'create', resource: BUNDLES, object: bundle('') },
  { name: 'a bundle that stays', resource: BUNDLES, object: bundle(SIGNER), old: bundle(SIGNER) },
  { name: 'a bundle that changes', resource: BUNDLES, object: bundle(SIGNER), old: bundle(SIGNER, 'b'), asks: ATTEST },
  { name: 'a bundle that goes', operation: 'delete', resource: BUNDLES, old: bundle(SIGNER) },
  { name: 'another resource', operation: 'create', resource: 'things', object: bundle(SIGNER) },
];

/** @param allowed the name of the signer on which everything is allowed */
async function write(row: Row, allowed: string): Promise<{ refusal: string | undefined; asked: string[]; waiting: unknown[] }> {
  const asked: string[] = [];
  const waiting: unknown[] = [];
  const authorizer: Pick<Authorizer, 'authorize'> = {
    authorize({ verb, group, resource, name }: AccessAttributes, who?: Waiting) {
      waiting.push(who);
      asked.push(`${verb} ${resource}.${group} ${name}`);
      return { decision: name === allowed ? 'allow' : 'no opinion', reason: '' } as ReturnType<Authorizer['authorize']>;
    },
  };
  const { operation = 'update', resource = 'certificatesigningrequests', subresource = '', object, old } = row;
  const attributes = {
    request: OWN_WORK,
    operation,
    resource: { groupResource: { group: 'certificates.k8s.io', resource } },
    subresource,
    name: 'x',
    object,
    old,
    user: { name: 'u', uid: '', groups: [], extra: {} },
  } as unknown as AdmissionAttributes;
  try {
    for (const make of [certificateApproval, certificateSigning, clusterTrustBundleAttest])
      await make({ identity, authorizer: authorizer as Authorizer }).validate?.(attributes);
    return { refusal: undefined, asked, waiting };
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return { refusal: error.message, asked, waiting };
  }
}

for (const row of rows)
  test(row.name, async () => {
    const nobody = await write(row, 'nothing');
    if (row.asks === undefined) return assert.equal(nobody, { refusal: undefined, asked: [], waiting: [] });
    const [verb, doing] = row.asks;
    const on = (name: string): string => `${verb} signers.certificates.k8s.io ${name}`;
    assert.equal(nobody.asked, [on(SIGNER), on('e.com/*')]);
    assert.ok(nobody.refusal?.endsWith(`"x" is forbidden: user not permitted to ${doing} signerName "${SIGNER}"`), nobody.refusal);
    const { waiting } = nobody;
    // who goes meanwhile is not asked about any longer
    assert.equal(waiting, [OWN_WORK, OWN_WORK]);
    assert.equal(await write(row, SIGNER), { refusal: undefined, asked: [on(SIGNER)], waiting: [OWN_WORK] });
    assert.equal(await write(row, 'e.com/*'), { refusal: undefined, asked: nobody.asked, waiting });
  });

test.run();
