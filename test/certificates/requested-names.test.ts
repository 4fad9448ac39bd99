/** Names in requests: whoever judges a request must read the names that the certificate has, in whatever string they stand. */
import { X509Certificate } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { element, utf8String } from '../../runtime/certificates/der-encoding.ts';
import { type RequestedNames, requestedNames } from '../../runtime/certificates/requested-names.ts';
import { signingRequestProblem } from '../../runtime/certificates/signing-request.ts';
import { issueCertificate, issueForRequest } from '../../runtime/server/certificates/certificate-issuer.ts';
import { COMMON_NAME, ORGANIZATION, requestOf } from './made.ts';

const test = suite('names in requests for certificates');

const HOUR = 3_600_000;
const times = { notBefore: Date.now() - HOUR, notAfter: Date.now() + HOUR };
const issuer = issueCertificate({ commonName: 'authority', organizations: [], usage: 'authority', names: [], ...times });

/** As those who are shown the certificate read it; undefined where nobody can. */
function inCertificate(pem: string): Pick<RequestedNames, 'commonName' | 'organizations'> | undefined {
  try {
    const { CN = '', O = [] } = new X509Certificate(issueForRequest(pem, { usages: ['client auth'], ...times }, issuer)).toLegacyObject()
      .subject as { CN?: string | string[]; O?: string | string[] };
    return { commonName: [CN].flat().at(-1) ?? '', organizations: [O].flat() };
  } catch {
    return undefined;
  }
}

const MASTERS = 'system:masters';
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le').swap16();
const utf32 = (text: string): Buffer => Buffer.concat([...text].map((letter) => Buffer.from([0, 0, 0, letter.charCodeAt(0)])));
const user = utf8String('user');

const strings: readonly [name: string, value: Buffer][] = [
  ['UTF8String', utf8String(MASTERS)],
  ['PrintableString', element(0x13, Buffer.from(MASTERS))],
  ['TeletexString', element(0x14, Buffer.from(MASTERS))],
  ['IA5String', element(0x16, Buffer.from(MASTERS))],
  ['UniversalString', element(0x1c, utf32(MASTERS))],
  ['BMPString', element(0x1e, utf16(MASTERS))],
];
for (const [name, value] of strings)
  test(`a group in a ${name} is read`, async () => {
    const pem = requestOf([ORGANIZATION, value], [COMMON_NAME, user]);
    assert.equal(requestedNames(pem)?.organizations, [MASTERS]);
    assert.equal(inCertificate(pem)?.organizations, [MASTERS]);
    assert.is(signingRequestProblem(pem), undefined);
  });

const unread: readonly [name: string, value: Buffer][] = [
  ['in pieces', element(0x2c, utf8String('system:node:a'))],
  ['that is a list', element(0x30, Buffer.from('system:node:a'))],
  ['of bits', element(0x03, Buffer.from('\0system:node:a'))],
  ['of no known type', element(0x0d, Buffer.from('system:node:a'))],
  ['that is no UTF-8', element(0x0c, Buffer.from('system:node:\xff', 'latin1'))],
  ['that ends within a character', element(0x1e, Buffer.from('abc'))],
  ['with half a surrogate pair', element(0x1e, Buffer.from([0xd8, 0]))],
  ['beyond all characters', element(0x1c, Buffer.from([0, 0x20, 0, 0]))],
];
for (const [name, value] of unread)
  test(`a name ${name} makes a request one that cannot be read, for another one could count in its place`, async () => {
    for (const type of [COMMON_NAME, ORGANIZATION]) {
      const pem = requestOf([COMMON_NAME, user], [type, value]);
      assert.is(requestedNames(pem), undefined);
      assert.is(signingRequestProblem(pem), 'x509: malformed certificate request');
    }
  });

test('names are those of the certificate, whatever the tags of the last one are', async () => {
  for (let tag = 1; tag < 0x40; tag++)
    for (const content of ['system:node:a', 'ab', '', '\0a\0b', '\0\0\0a', '\x0c\x01a', '\xe4\xf6'])
      for (const type of [COMMON_NAME, ORGANIZATION]) {
        const pem = requestOf([ORGANIZATION, utf8String('one')], [COMMON_NAME, user], [type, element(tag, Buffer.from(content, 'latin1'))]);
        const read = requestedNames(pem);
        const had = inCertificate(pem);
        if (read === undefined || had === undefined) continue;
        assert.equal({ commonName: read.commonName, organizations: read.organizations }, had, `${tag} ${JSON.stringify(content)}`);
      }
});

test.run();
