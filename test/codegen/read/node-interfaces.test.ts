import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { emitNodeInterface } from '../../../codegen/emit/node-interfaces.ts';
import { type NodeInterface, readNodeInterfaces } from '../../../codegen/read/node-interfaces.ts';

const FILE = 'schemas/node-interfaces/lamps.proto';

function read(body: string): { interfaces: NodeInterface[]; problems: string[] } {
  const problems: string[] = [];
  const text = `syntax = "proto3";\npackage lamps.v1;\n${body}`;
  const interfaces = readNodeInterfaces(new Map([[FILE, text]]), (code, { file }, detail) => problems.push(`${file}: ${code} ${detail}`));
  return { interfaces, problems };
}

const reading = suite('interfaces between programs of a node');
reading('become types, layouts and calls', () => {
  const { interfaces, problems } = read(`
    service Lamps { rpc Switch(Order) returns (Lamp); rpc Follow(Order) returns (stream Lamp); rpc Dim(stream Order) returns (stream Lamp); }
    enum Colour { AMBER = 0; WHITE = 3; }
    message Order { string lamp_id = 1; }
    message Value { oneof value { string text = 1; int64 number = 2; } optional bool lit = 3; fixed64 since = 4; fixed32 flags = 5; uint64 id = 6; int64 size = 7 [jstype = JS_NUMBER]; }
    message Lamp { Order last_order = 1; repeated Colour colours = 2; map<string, string> labels = 7; int64 age = 4; uint32 watts = 5; bool on = 6; }`);
  assert.equal(problems, []);
  const text = emitNodeInterface(interfaces[0] as NodeInterface);
  for (const line of [
    "import type { DuplexMethod, StreamMethod, UnaryMethod, WireMessage } from '../../runtime/contract/node-interface.ts';",
    '  WHITE: 3,',
    '  readonly lastOrder: Order | undefined;',
    '  readonly colours: readonly number[];',
    '  readonly labels: ReadonlyMap<string, string>;',
    '  readonly age: bigint;',
    '  readonly text: string | undefined;',
    '  readonly since: bigint;',
    '  readonly flags: number;',
    '  readonly id: bigint;',
    '  readonly size: number;',
    "    { name: 'size', number: 7, rule: 'single', type: 'safeInt64' },",
    "    { name: 'number', number: 2, rule: 'single', optional: true, type: 'int64' },",
    "    { name: 'lit', number: 3, rule: 'single', optional: true, type: 'bool' },",
    "    { name: 'lastOrder', number: 1, rule: 'single', type: () => Order },",
    "    { name: 'colours', number: 2, rule: 'repeated', type: 'enum' },",
    "  Switch: { path: '/lamps.v1.Lamps/Switch', request: Order, answer: Lamp, streams: false } as UnaryMethod<Order, Lamp>,",
    "  Follow: { path: '/lamps.v1.Lamps/Follow', request: Order, answer: Lamp, streams: true } as StreamMethod<Order, Lamp>,",
    "  Dim: { path: '/lamps.v1.Lamps/Dim', request: Order, answer: Lamp, streams: 'both' } as DuplexMethod<Order, Lamp>,",
  ])
    assert.ok(text.split('\n').includes(line), `${line}\n\n${text}`);
});
const wrong: [name: string, body: string, problem: RegExp][] = [
  ['bytes that are no protobuf', 'message {', /CS004 ./],
  ['a message that is not there', 'message A { B b = 1; }', /no such.*B/],
  ['a message within itself', 'message A { B b = 1; } message B { repeated A a = 1; }', /A contains itself, by A > B > A\./],
  ['a scalar that nothing reads', 'message A { sfixed64 a = 1; }', /A\.a is sfixed64; what is read is string, bool/],
  ['a map of others than texts', 'message A { map<string, int32> a = 1; }', /A\.a is a map of something else/],
  ['a message within a message', 'message A { message B { string b = 1; } B b = 1; }', /A has types within/],
  [
    'a stream of requests',
    'message A { string a = 1; } service S { rpc M(stream A) returns (A); }',
    /S\.M takes a stream and gives one answer/,
  ],
  ['a number in memory of what is always one', 'message A { int32 a = 1 [jstype = JS_NUMBER]; }', /A\.a is int32; only int64 may/],
];
for (const [name, body, problem] of wrong)
  reading(`${name}: refused`, () => {
    const { interfaces, problems } = read(body);
    assert.equal(interfaces, []);
    assert.is(problems.length, 1);
    assert.match(problems[0] as string, problem);
    assert.match(problems[0] as string, /lamps\.proto: CS004/);
  });
reading.run();
