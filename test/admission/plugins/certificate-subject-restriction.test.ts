import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificateSubjectRestriction } from '../../../runtime/admission/plugins/certificate-subject-restriction.ts';
import type { AdmissionAttributes } from '../../../runtime/admission/request/attributes.ts';
import { StatusError } from '../../../runtime/status/status.ts';
import { OpenSsl } from '../../harness/openssl.ts';
import { identity } from '../../kinds/context.ts';

const folder = new OpenSsl();
const CLIENT = 'kubernetes.io/kube-apiserver-client';

const masters = folder.signingRequest('/O=dev/O=system:masters/CN=me');
const rows: [
  name: string,
  changed: { signerName?: string; request?: string; operation?: string; subresource?: string; resource?: string },
  message: string | undefined,
][] = [
  ['of a client in the group of administrators', {}, `use of ${CLIENT} signer with system:masters group is not allowed`],
  ['of a client in another group', { request: folder.signingRequest('/O=dev/CN=me') }, undefined],
  [
    'of a client with a group that only contains the name',
    { request: folder.signingRequest('/O=system:masters2/CN=system:masters') },
    undefined,
  ],
  ['of another signer', { signerName: 'example.com/any' }, undefined],
  ['that is none', { request: Buffer.from('x').toString('base64') }, 'failed to parse CSR: PEM block type must be CERTIFICATE REQUEST'],
  ['that is there already', { operation: 'update' }, undefined],
  ['in its approval', { operation: 'update', subresource: 'approval' }, undefined],
  ['in an object of another kind', { resource: 'configmaps' }, undefined],
];
const test = suite('subjects of requests for certificates');
for (const [name, { signerName = CLIENT, request: pem = masters, operation = 'create', subresource = '', resource }, message] of rows)
  test(`a request ${name} ${message === undefined ? 'passes' : 'is refused'}`, () => {
    const groupResource = { group: 'certificates.k8s.io', resource: resource ?? 'certificatesigningrequests' };
    const object = { spec: { signerName, request: pem } };
    const attributes = { operation, resource: { groupResource }, subresource, object, name: 'r' } as unknown as AdmissionAttributes;
    const check = () => certificateSubjectRestriction(identity).validate?.(attributes);
    if (message === undefined) return assert.not.throws(check);
    assert.throws(check, (error: unknown) => {
      assert.instance(error, StatusError);
      assert.is((error as StatusError).code, 403);
      assert.is((error as StatusError).message, `certificatesigningrequests.certificates.k8s.io "r" is forbidden: ${message}`);
      return true;
    });
  });
test.after(() => folder.remove());
test.run();
