import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { nodePlace, parsePlace, podPlace, servicePlace } from '../../runtime/relay/proxy-place.ts';
import { outcomeOf, serverWith } from './backend.ts';

const test = suite('places that proxy requests lead to');

const texts: readonly [text: string, place: object | undefined][] = [
  ['a', { scheme: '', name: 'a', port: '' }],
  ['a:80', { scheme: '', name: 'a', port: '80' }],
  ['https:a:web', { scheme: 'https', name: 'a', port: 'web' }],
  ['http:a:', { scheme: 'http', name: 'a', port: '' }],
  ['ftp:a:1', undefined],
  ['a:b:c:d', undefined],
  [':80', undefined],
];
for (const [text, place] of texts) test(`${text} is ${place === undefined ? 'none' : 'one'}`, () => assert.equal(parsePlace(text), place));

const pod = (ip: string, ports: object[] = []) => ({ spec: { containers: [{ name: 'c', ports }] }, status: { podIPs: [{ ip }] } });
const endpoint = (ip: string, targetRef?: object) => ({
  subsets: [{ addresses: [{ ip, ...(targetRef && { targetRef }) }], ports: [{ name: 'web', port: 8080 }] }],
});
const node = (address: string) => ({ status: { addresses: [{ type: 'Hostname', address }] } });
const REF = { kind: 'Pod', namespace: 'a', name: 'p' };
const server = serverWith({
  'pods/a/p': pod('10.9.9.9', [{ containerPort: 8080 }]),
  'pods/a/bare': pod('10.9.9.8'),
  'pods/a/local': pod('127.0.0.1'),
  'pods/a/waiting': { spec: { containers: [] }, status: {} },
  'services/a/web': { spec: { ports: [{ name: 'web', port: 80 }] } },
  'endpoints/a/web': endpoint('10.9.9.9', REF),
  'services/a/stray': { spec: { ports: [{ name: 'web', port: 80 }] } },
  'endpoints/a/stray': endpoint('10.1.1.1', REF),
  'endpoints/a/wild': endpoint('10.9.9.9'),
  'endpoints/a/near': endpoint('127.0.0.1', { ...REF, name: 'local' }),
  'endpoints/a/foreign': endpoint('10.9.9.9', { ...REF, namespace: 'b' }),
  'pods/b/p': pod('10.9.9.9'),
  'pods/a/second': {
    spec: { containers: [{ name: 'c' }, { name: 'd', ports: [] }, { name: 'e', ports: [{ containerPort: 99 }] }] },
    status: { podIPs: [{ ip: '10.9.9.9' }] },
  },
  'nodes//n': node('10.8.8.8'),
  'nodes//here': node('127.0.0.1'),
  'nodes//named': node('localhost'),
  'nodes//metadata': node('169.254.169.254'),
  'nodes//unknown': node('none.invalid'),
});
const rows: readonly [name: string, find: typeof podPlace, text: string, found: RegExp][] = [
  ['a pod at its first port', podPlace, 'p', /"host":"10\.9\.9\.9","port":8080/],
  ['a pod at the first port of any container', podPlace, 'second', /"port":99\b/],
  ['a pod at a port that is named by number', podPlace, 'https:p:99', /"host":"10\.9\.9\.9","port":99,"tls":\{\}/],
  ['a pod without ports', podPlace, 'bare', /"port":80\b/],
  ['a pod on this machine', podPlace, 'local', /^400: address not allowed$/],
  ['a pod without an address', podPlace, 'waiting', /^400: address not allowed$/],
  ['a pod at a port that is none', podPlace, 'p:http', /^400: invalid port "http"$/],
  ['a pod at a port that cannot be, which shows when a connection is made', podPlace, 'p:99999', /"port":99999\b/],
  ['no pod', podPlace, 'a:b:c:d', /^400: invalid pod request "a:b:c:d"$/],
  ['a service by the number of its port', servicePlace, 'web:80', /"host":"10\.9\.9\.9","port":8080/],
  ['a service by the name of its port', servicePlace, 'web:web', /"port":8080/],
  ['a service at a port that it has not', servicePlace, 'web:81', /^503: no service port 81 found for service "web"$/],
  [
    'a service whose endpoint is no longer the address of its pod',
    servicePlace,
    'stray:web',
    /^503: no endpoints available for service "stray:web"$/,
  ],
  ['endpoints of no pod', servicePlace, 'wild:web', /^503: no endpoints available for service "wild:web"$/],
  ['endpoints of a pod on this machine', servicePlace, 'near:web', /^503: no endpoints available for service "near:web"$/],
  ['endpoints of a pod of another namespace', servicePlace, 'foreign:web', /^503: no endpoints available for service "foreign:web"$/],
  ['a service that is not there', servicePlace, 'gone', /^404: services "gone" not found$/],
  ['a node at its agent', nodePlace, 'n', /"host":"10\.8\.8\.8","port":10250,.*"address":"10\.8\.8\.8"/],
  ...['here', 'here:10250', 'https:here:10250', 'here:99', 'named', 'named:10250', 'metadata', 'metadata:80'].map(
    (text) =>
      [`a node that is this machine or near it: ${text}`, nodePlace, text, /^400: address not allowed$/] as [
        string,
        typeof podPlace,
        string,
        RegExp,
      ],
  ),
  ['a node whose name leads nowhere', nodePlace, 'unknown', /^400: lookup none\.invalid: no such host$/],
  ['a node at another port', nodePlace, 'https:n:99', /"host":"10\.8\.8\.8","port":99,"tls":\{\}/],
  ['a node that is not there', nodePlace, 'gone', /^404: nodes "gone" not found$/],
];
for (const [name, find, text, found] of rows) test(name, async () => assert.match(await outcomeOf(find(server, 'a', text)), found));

test.run();
