/** Which certificates nodes and other clients may ask for, and when requests go, by the rules of 1.32. */
import { generateKeyPairSync } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createSigningRequest, type SigningRequestContent } from '../../../runtime/certificates/create-signing-request.ts';
import { requestedNames } from '../../../runtime/certificates/requested-names.ts';
import { isDone } from '../../../runtime/controllers/certificate-requests/certificate-request-cleaner.ts';
import { clientProblem, nodeClientProblem, nodeServingProblem } from '../../../runtime/controllers/certificate-requests/node-requests.ts';
import type { RequestObject } from '../../../runtime/controllers/certificate-requests/pending-requests.ts';
import { issueCertificate } from '../../../runtime/server/certificates/certificate-issuer.ts';

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const named = (content: Partial<SigningRequestContent>) =>
  requestedNames(createSigningRequest({ commonName: 'system:node:one', organizations: ['system:nodes'], ...content }, privateKey));
const DNS = { dnsNames: ['one.example'] };
const ADDRESS = { addresses: [Buffer.from([10, 0, 0, 1])] };

const rules = suite('requests of nodes');
const CLIENT = ['digital signature', 'client auth'];
const SERVER = ['digital signature', 'server auth'];
const clients: [name: string, content: Partial<SigningRequestContent>, usages: string[], problem: RegExp | undefined][] = [
  ['a client', {}, CLIENT, undefined],
  ['a client whose key enciphers keys', {}, [...CLIENT, 'key encipherment'], undefined],
  ['usages in another order', {}, ['client auth', 'digital signature'], undefined],
  ['a server', {}, SERVER, /^usages did not match \[client auth digital signature key encipherment\]$/],
  ['another name and other usages', { commonName: 'admin' }, SERVER, /^subject common name does not begin with system:node:$/],
  ['further usages', {}, [...CLIENT, 'server auth'], /usages did not match/],
  ['missing usages', {}, ['client auth'], /usages did not match/],
  ['no organization', { organizations: [] }, CLIENT, /^subject organization is not system:nodes$/],
  ['further organizations', { organizations: ['system:nodes', 'system:masters'] }, CLIENT, /^subject organization is not system:nodes$/],
  ['another name', { commonName: 'admin' }, CLIENT, /does not begin with system:node:/],
  ['host names', DNS, CLIENT, /DNS subjectAltNames are not allowed/],
  ['addresses', ADDRESS, CLIENT, /IP subjectAltNames are not allowed/],
];
for (const [name, content, usages, problem] of clients)
  rules(`for clients with ${name} are ${problem === undefined ? 'recognized' : 'refused'}`, () => {
    const found = nodeClientProblem(named(content), usages);
    if (problem === undefined) assert.is(found, undefined);
    else assert.match(found ?? '', problem);
  });
const servers: [name: string, content: Partial<SigningRequestContent>, usages: string[], problem: RegExp | undefined][] = [
  ['a host name', DNS, SERVER, undefined],
  ['an address', ADDRESS, SERVER, undefined],
  ['both, and a key that enciphers keys', { ...DNS, ...ADDRESS }, [...SERVER, 'key encipherment'], undefined],
  ['no name', {}, SERVER, /DNS or IP subjectAltName is required/],
  ['a client', DNS, CLIENT, /^usages did not match \[digital signature key encipherment server auth\]$/],
  ['no organization', { ...DNS, organizations: [] }, SERVER, /^subject organization is not system:nodes$/],
  ['another name', { ...DNS, commonName: 'one' }, SERVER, /does not begin with/],
];
for (const [name, content, usages, problem] of servers)
  rules(`for servers with ${name} are ${problem === undefined ? 'recognized' : 'refused'}`, () => {
    const found = nodeServingProblem(named(content), usages);
    if (problem === undefined) assert.is(found, undefined);
    else assert.match(found ?? '', problem);
  });
rules('that cannot be read are refused', () => {
  assert.match(nodeClientProblem(requestedNames('x'), CLIENT) ?? '', /cannot be read/);
  assert.match(nodeServingProblem(requestedNames('x'), SERVER) ?? '', /cannot be read/);
  assert.match(clientProblem(requestedNames('x'), CLIENT) ?? '', /cannot be read/);
});
for (const [usages, problem] of [
  [['client auth'], undefined],
  [['client auth', 'digital signature', 'key encipherment'], undefined],
  [['digital signature'], 'missing required usage for client certificate: client auth'],
  [['client auth', 'server auth'], 'invalid usage for client certificate: server auth'],
] as const)
  rules(`of other clients for ${usages.join(', ')} are ${problem === undefined ? 'signed' : 'refused'}`, () =>
    assert.is(clientProblem(named({ commonName: 'user' }), usages), problem),
  );
rules.run();

const HOUR = 60 * 60 * 1_000;
const NOW = Date.parse('2026-01-02T00:00:00Z');
const at = (hoursAgo: number): string => new Date(NOW - hoursAgo * HOUR).toISOString();
const certificate = (until: number): string =>
  Buffer.from(
    issueCertificate({ commonName: 'x', organizations: [], usage: 'client', names: [], notBefore: NOW - 100 * HOUR, notAfter: until })
      .certificate,
  ).toString('base64');
const request = (type: string | undefined, hoursAgo: number, issued?: string): RequestObject =>
  ({
    metadata: { creationTimestamp: at(hoursAgo) },
    spec: {},
    status: {
      ...(type !== undefined && { conditions: [{ type, status: 'True', lastUpdateTime: at(hoursAgo) }] }),
      ...(issued !== undefined && { certificate: issued }),
    },
  }) as never;

const ages = suite('requests');
const valid = certificate(NOW + HOUR);
const rows: [name: string, request: RequestObject, isDone: boolean][] = [
  ['that wait for a day', request(undefined, 23.9), false],
  ['that wait for longer', request(undefined, 24.1), true],
  ['that were just denied', request('Denied', 0.9), false],
  ['that were denied an hour ago', request('Denied', 1.1), true],
  ['that failed an hour ago', request('Failed', 1.1), true],
  ['that were just signed', request('Approved', 0.9, valid), false],
  ['that were signed an hour ago', request('Approved', 1.1, valid), true],
  ['that were approved days ago, and not signed', request('Approved', 100), false],
  ['of which something else was said days ago', request('Other', 100, valid), false],
  ['that were just approved', request('Approved', 0.9), false],
  ['whose certificate has ended', request('Approved', 0.1, certificate(NOW - HOUR)), true],
  ['whose certificate has ended, and that nobody approved', request(undefined, 0.1, certificate(NOW - HOUR)), false],
  ['with a certificate that cannot be read', request('Approved', 0.1, 'eA=='), false],
];
for (const [name, each, expected] of rows) ages(`${name} ${expected ? 'go' : 'stay'}`, () => assert.is(isDone(each, NOW), expected));
ages.run();
