import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ApiObject } from '../../../runtime/contract/object.ts';
import type { Kind } from '../../../runtime/registry/kinds/kind.ts';
import { creationErrors, lines, ruleContext } from '../context.ts';
import { loadKind, rowOf } from '../kind.ts';

const test = suite('ingresses, classes, policies, addresses and ranges');
const V1 = 'networking.k8s.io/v1';
const BETA = 'networking.k8s.io/v1beta1';

const make = (kind: Kind, spec: object | undefined, metadata: object = {}): ApiObject =>
  kind.decode({ metadata: { name: 'x', namespace: 'n', ...metadata }, spec }).object;
const errors = (kind: Kind, spec: object | undefined, metadata: object = {}): string[] =>
  creationErrors(kind.rules, make(kind, spec, metadata), ruleContext());

const ingress = await loadKind(V1, 'Ingress');
const service = { name: 's', port: { number: 80 } };
const rule = (path: object, host?: string) => ({
  rules: [{ host, http: { paths: [{ path: '/', pathType: 'Prefix', backend: { service }, ...path }] } }],
});

const ingresses: [string, object, string[]][] = [
  ['a default backend', { defaultBackend: { service } }, []],
  ['nothing', {}, ['spec: Invalid value: []networking.IngressRule(nil): either `defaultBackend` or `rules` must be specified']],
  ['a path of any type', rule({ pathType: 'ImplementationSpecific', path: '' }), []],
  ['no type', rule({ pathType: undefined }), ['spec.rules[0].http.paths[0].pathType: Required value: pathType must be specified']],
  [
    'an unknown type',
    rule({ pathType: 'X' }),
    ['spec.rules[0].http.paths[0].pathType: Unsupported value: "X": supported values: "Exact", "ImplementationSpecific", "Prefix"'],
  ],
  [
    'a path that ends in dots',
    rule({ path: '/a/..' }),
    ['spec.rules[0].http.paths[0].path: Invalid value: "/a/..": cannot end with \'/..\''],
  ],
  ['an encoded slash', rule({ path: '/%2F' }), ['spec.rules[0].http.paths[0].path: Invalid value: "/%2F": must not contain \'%2F\'']],
  ['an address as host', rule({}, '10.0.0.1'), ['spec.rules[0].host: Invalid value: "10.0.0.1": must be a DNS name, not an IP address']],
  ['a wildcard host', rule({}, '*.example.com'), []],
  ['a backend of another kind', { defaultBackend: { resource: { kind: 'K', name: 'k' } } }, []],
  [
    'a backend without kind',
    { defaultBackend: { resource: { kind: '', name: 'k' } } },
    ['spec.defaultBackend.resource.kind: Required value: kind is required'],
  ],
  [
    'a port out of range',
    { defaultBackend: { service: { name: 's', port: { number: 70_000 } } } },
    ['spec.defaultBackend.service.port.number: Invalid value: 70000: must be between 1 and 65535, inclusive'],
  ],
];
for (const [name, spec, expected] of ingresses) test(`ingress: ${name}`, () => assert.equal(errors(ingress, spec), expected));

test('ingress: what is stored already may stay', () => {
  const stored = make(ingress, { ...rule({ path: 'x' }, '*.a.com'), tls: [{ secretName: 'A_' }] }, { resourceVersion: '1' });
  assert.equal(lines(ingress.rules.validateUpdate?.(stored, stored, ruleContext())), []);
});

test('ingress: rules that are an empty list are shown as such', () => {
  const context = { ...ruleContext(), sent: () => ({ spec: { rules: [] } }) };
  assert.equal(creationErrors(ingress.rules, make(ingress, { rules: [] }), context), [
    'spec: Invalid value: []networking.IngressRule{}: either `defaultBackend` or `rules` must be specified',
  ]);
});

test('ingress: the annotation for the class', () => {
  const annotations = { 'kubernetes.io/ingress.class': 'b' };
  const object = make(ingress, { defaultBackend: { service }, ingressClassName: 'a' }, { annotations });
  const context = { ...ruleContext(), text: (text: string) => text.replace('${labelDomain}', 'kubernetes.io') };
  assert.equal(creationErrors(ingress.rules, object, context), [
    'annotations.kubernetes.io/ingress.class: Invalid value: "b": must match `ingressClassName` when both are specified',
  ]);
  assert.equal(ingress.rules.warnings?.(object, undefined, context), [
    'annotation "kubernetes.io/ingress.class" is deprecated, please use \'spec.ingressClassName\' instead',
  ]);
  assert.equal(ingress.rules.warnings?.(object, object, context), []);
});

test('ingress: cells', async () => {
  const object = make(ingress, { rules: ['a', 'b', '', 'c', 'd'].map((host) => ({ host })), tls: [{}] });
  object.status = { loadBalancer: { ingress: [{ hostname: 'z' }, { ip: '192.0.2.1' }, { hostname: 'z' }] } };
  assert.equal((await rowOf(object, 0)).slice(1, 5), ['<none>', 'a,b,c + 2 more...', '192.0.2.1,z', '80, 443']);
});

test('ingress: status', () => {
  const object = make(ingress, {});
  object.status = { loadBalancer: { ingress: [{ ip: 'x', hostname: '10.0.0.1' }] } };
  assert.equal(lines(ingress.rules.validateStatusUpdate?.(object, make(ingress, {}), ruleContext())), [
    'status.loadBalancer.ingress[0].ip: Invalid value: "x": must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)',
    'status.loadBalancer.ingress[0].hostname: Invalid value: "10.0.0.1": must be a DNS name, not an IP address',
  ]);
});

const ingressClass = await loadKind(V1, 'IngressClass');
const parameters = (members: object) => ({ controller: 'a.com/b', parameters: { kind: 'K', name: 'k', ...members } });
const classes: [string, object, string[]][] = [
  ['a controller', { controller: 'example.com/a' }, []],
  ['no controller', {}, ['spec.controller: Required value']],
  ['no path', { controller: 'a' }, ['spec.controller: Invalid value: "a": must be a domain-prefixed path (such as "acme.io/foo")']],
  ['parameters of the cluster', parameters({}), []],
  [
    'a namespace that is missing',
    parameters({ scope: 'Namespace' }),
    ["spec.parameters.namespace: Required value: `parameters.scope` is set to 'Namespace'"],
  ],
  [
    'a namespace too much',
    parameters({ namespace: 'n' }),
    ["spec.parameters.namespace: Forbidden: `parameters.scope` is set to 'Cluster'"],
  ],
  [
    'an unknown scope',
    parameters({ scope: 'X' }),
    ['spec.parameters.scope: Unsupported value: "X": supported values: "Cluster", "Namespace"'],
  ],
];
for (const [name, spec, expected] of classes) test(`class: ${name}`, () => assert.equal(errors(ingressClass, spec), expected));

const policy = await loadKind(V1, 'NetworkPolicy');
const from = (peer: object) => ({ podSelector: {}, ingress: [{ from: [peer] }] });
const port = (members: object) => ({ podSelector: {}, egress: [{ ports: [members] }] });
const policies: [string, object, string[]][] = [
  ['an empty one', { podSelector: {} }, []],
  ['a peer that says nothing', from({}), ['spec.ingress[0].from[0]: Required value: must specify a peer']],
  [
    'a block with a selector',
    from({ podSelector: {}, ipBlock: { cidr: '10.0.0.0/8' } }),
    ['spec.ingress[0].from[0]: Forbidden: may not specify both ipBlock and another peer'],
  ],
  ['a part of a block', from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.1.0.0/16'] } }), []],
  [
    'a part that is the whole',
    from({ ipBlock: { cidr: '10.0.0.0/8', except: ['10.0.0.0/8'] } }),
    ['spec.ingress[0].from[0].ipBlock.except[0]: Invalid value: "10.0.0.0/8": must be a strict subset of `cidr`'],
  ],
  ['a range of ports', port({ port: 1, endPort: 2 }), []],
  [
    'an end before the port',
    port({ port: 2, endPort: 1 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 2: must be greater than or equal to `port`'],
  ],
  [
    'an end after a name',
    port({ port: 'a', endPort: 1 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 1: may not be specified when `port` is non-numeric'],
  ],
  [
    'an end alone',
    port({ endPort: 1 }),
    ['spec.egress[0].ports[0].endPort: Invalid value: 1: may not be specified when `port` is not specified'],
  ],
  [
    'a protocol',
    port({ protocol: 'X' }),
    ['spec.egress[0].ports[0].protocol: Unsupported value: "X": supported values: "TCP", "UDP", "SCTP"'],
  ],
];
for (const [name, spec, expected] of policies) test(`policy: ${name}`, () => assert.equal(errors(policy, spec), expected));

test('policy: types', () => {
  assert.equal(make(policy, { podSelector: {} }).spec.policyTypes, ['Ingress']);
  assert.equal(make(policy, { podSelector: {}, egress: [{}] }).spec.policyTypes, ['Ingress', 'Egress']);
});

const serviceCidr = await loadKind(BETA, 'ServiceCIDR');
const ranges: [string, string[], string[]][] = [
  ['both families', ['10.0.0.0/24', '2001:db8::/64'], []],
  ['none', [], ['spec.cidrs: Required value: at least one CIDR required']],
  ['host bits', ['10.0.0.1/24'], ['spec.cidrs[0]: Invalid value: "10.0.0.1/24": wrong CIDR format, IP doesn\'t match network IP address']],
  ['another form', ['2001:DB8::/64'], ['spec.cidrs[0]: Invalid value: "2001:DB8::/64": CIDR not in RFC 5952 canonical format']],
  ['no length', ['10.0.0.0/x'], ['spec.cidrs[0]: Invalid value: "10.0.0.0/x": netip.ParsePrefix("10.0.0.0/x"): bad bits after slash: "x"']],
];
for (const [name, cidrs, expected] of ranges) test(`range: ${name}`, () => assert.equal(errors(serviceCidr, { cidrs }), expected));

test('range: a change shows what was sent', () => {
  const [ranges, none] = [make(serviceCidr, { cidrs: ['10.0.0.0/24'] }), make(serviceCidr, {})];
  const changed = (sent: object) => lines(serviceCidr.rules.validateUpdate?.(none, ranges, { ...ruleContext(), sent: () => sent }));
  assert.equal(changed({}), ['spec.cidrs: Invalid value: []string(nil): field is immutable']);
  assert.equal(changed({ spec: { cidrs: [] } }), ['spec.cidrs: Invalid value: []string{}: field is immutable']);
});

const address = await loadKind(BETA, 'IPAddress');
test('address: cells and errors', async () => {
  const parentRef = { group: 'G', resource: 'r', namespace: 'a', name: 'b' };
  assert.is((await rowOf(make(address, { parentRef }), 0))[1], 'r.g/a/b');
  assert.equal(errors(address, {}, { name: '1.2.3.4' }), ['spec.parentRef: Required value']);
  assert.equal(errors(address, undefined, { name: '1.2.3.4' }), ['spec.parentRef: Required value']);
  assert.equal(errors(address, { parentRef: { namespace: 'a/b' } }, { name: '1.2.3.4' }), [
    'spec.parentRef.resource: Required value',
    'spec.parentRef.name: Required value',
    `spec.parentRef.namespace: Invalid value: "a/b": may not contain '/'`,
  ]);
});

test('removed ingresses convert both ways', async () => {
  for (const version of [BETA, 'extensions/v1beta1']) {
    const kind = await loadKind(version, 'Ingress');
    const spec = {
      backend: { serviceName: 's', servicePort: 80 },
      rules: [{ host: 'a', http: { paths: [{ path: '/', backend: { serviceName: 't', servicePort: 'web' } }] } }],
    };
    const object = kind.decode({ metadata: { name: 'x' }, spec }).object;
    const before = structuredClone(object);
    const hub = kind.toHub(object);
    assert.equal(JSON.parse(JSON.stringify(hub.spec)), {
      defaultBackend: { service: { name: 's', port: { number: 80 } } },
      rules: [
        {
          host: 'a',
          http: {
            paths: [{ path: '/', pathType: 'ImplementationSpecific', backend: { service: { name: 't', port: { name: 'web' } } } }],
          },
        },
      ],
    });
    assert.equal(JSON.parse(JSON.stringify(kind.fromHub(hub))), JSON.parse(JSON.stringify(before)));
  }
});

test.run();
