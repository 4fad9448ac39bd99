import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { certificateChainProblem } from '../../runtime/certificates/certificate-chain.ts';
import { signingRequestProblem } from '../../runtime/certificates/signing-request.ts';
import { authority, request, SCHEMES } from './made.ts';

const test = suite('signing requests and chains of certificates');
const PEM = await request();
const CA = await authority(true);

for (const scheme of SCHEMES)
  test(`a request signed with ${scheme.name} ${scheme.hash ?? ''}`, async () =>
    assert.is(signingRequestProblem(await request(scheme)), undefined));

function pemOf(der: Buffer): string {
  return `-----BEGIN CERTIFICATE REQUEST-----\n${der.toString('base64')}\n-----END CERTIFICATE REQUEST-----\n`;
}

test('requests that are none', () => {
  assert.is(signingRequestProblem('not pem'), 'PEM block type must be CERTIFICATE REQUEST');
  assert.is(signingRequestProblem(CA), 'PEM block type must be CERTIFICATE REQUEST');
  assert.is(signingRequestProblem(pemOf(Buffer.from([0x30, 3, 2, 1, 0]))), 'x509: malformed certificate request');
});

test('every changed bit of a request is found', () => {
  const der = Buffer.from(PEM.replace(/-----.*-----|\s/g, ''), 'base64');
  for (let index = 0; index < der.length; index++) {
    const changed = Buffer.from(der);
    changed.writeUInt8(changed.readUInt8(index) ^ 1, index);
    assert.is.not(signingRequestProblem(pemOf(changed)), undefined, `byte ${index}`);
  }
});

test('chains of certificates', () => {
  assert.is(certificateChainProblem(''), undefined);
  assert.is(certificateChainProblem(CA + CA), undefined);
  assert.is(certificateChainProblem(`text before\n${CA}`), undefined);
  assert.is(certificateChainProblem('x'), 'must contain at least one CERTIFICATE PEM block');
  assert.is(certificateChainProblem(PEM), 'only CERTIFICATE PEM blocks are allowed, found "CERTIFICATE REQUEST"');
});

test.run();
