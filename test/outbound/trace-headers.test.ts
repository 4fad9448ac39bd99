/** What requests say of traces, whatever clients send. */
import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { baggageOf, passedOnHeaders, traceContextOf, traceParent } from '../../runtime/outbound/trace-headers.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const SPAN = 'b7ad6b7169203331';

const contexts = suite('trace contexts of requests');
const parents: [name: string, header: string | string[] | undefined, sampled: boolean | undefined][] = [
  ['a trace that is recorded', `00-${TRACE}-${SPAN}-01`, true],
  ['one that is not', `00-${TRACE}-${SPAN}-00`, false],
  ['flags that nobody knows', `00-${TRACE}-${SPAN}-fe`, false],
  ['flags beside the known one', `00-${TRACE}-${SPAN}-03`, true],
  ['a later version', `cc-${TRACE}-${SPAN}-01`, true],
  ['a later version that says more', `cc-${TRACE}-${SPAN}-01-what-the-future-will-be-like`, true],
  ['a later version with something at the end', `cc-${TRACE}-${SPAN}-01.what-the-future`, undefined],
  ['version 00 that says more', `00-${TRACE}-${SPAN}-01-more`, undefined],
  ['the version that there is not', `ff-${TRACE}-${SPAN}-01`, undefined],
  ['capital letters', `00-${TRACE.toUpperCase()}-${SPAN}-01`, undefined],
  ['a trace of zero', `00-${'0'.repeat(32)}-${SPAN}-01`, undefined],
  ['a span of zero', `00-${TRACE}-${'0'.repeat(16)}-01`, undefined],
  ['too few digits', `00-${TRACE.slice(1)}-${SPAN}-01`, undefined],
  ['no flags', `00-${TRACE}-${SPAN}`, undefined],
  ['two headers, as Node joins them', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`, undefined],
  ['a list', [`00-${TRACE}-${SPAN}-01`], undefined],
  ['what is too long', `cc-${TRACE}-${SPAN}-01-${'x'.repeat(300)}`, undefined],
  ['nothing', undefined, undefined],
];
for (const [name, traceparent, isSampled] of parents)
  contexts(name, () => {
    const context = traceContextOf({ traceparent });
    assert.is(context?.isSampled, isSampled);
    if (context !== undefined) assert.equal([context.traceId, context.spanId], [TRACE, SPAN]);
  });
const states: [name: string, tracestate: string, taken: boolean][] = [
  ['one member', 'rojo=00f067aa0ba902b7', true],
  ['several, with spaces between them', 'rojo=1 , congo=t61rcWkgMzE', true],
  ['empty members', 'rojo=1,,congo=2', true],
  ['a tenant', 'fw529a3039@dt=FfAAAA', true],
  ['a key twice', 'rojo=1,rojo=2', false],
  ['a value with an equals sign', 'rojo=1=2', false],
  ['a capital letter in a key', 'Rojo=1', false],
  ['33 members', Array.from({ length: 33 }, (_, i) => `k${i}=1`).join(','), false],
  ['more than 512 characters', `rojo=${'x'.repeat(510)}`, false],
  ['a line feed', 'rojo=1\n', false],
];
for (const [name, tracestate, taken] of states)
  contexts(`a state: ${name}`, () => {
    assert.is(traceContextOf({ traceparent: `00-${TRACE}-${SPAN}-01`, tracestate })?.state, taken ? tracestate : '');
  });
const bags: [name: string, baggage: string, taken: boolean][] = [
  ['entries', 'key1=value1,key2 = value2;property1;propertyKey=value', true],
  ['an escape', 'userId=Am%C3%A9lie', true],
  ['an empty value', 'a=', true],
  ['no value', 'a', false],
  ['a space in a value', 'a=b c', false],
  ['a quotation mark', 'a="b"', false],
  ['letters that are no ASCII', 'a=Amélie', false],
  ['too many entries', Array.from({ length: 181 }, (_, i) => `k${i}=1`).join(','), false],
  ['too many characters', `a=${'x'.repeat(8_192)}`, false],
  ['nothing', '', false],
];
for (const [name, baggage, taken] of bags)
  contexts(`baggage: ${name}`, () => assert.is(baggageOf({ baggage }), taken ? baggage : undefined));
contexts('what is written is read again', () => {
  const hex = (length: number) => fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: length, maxLength: length });
  fc.assert(
    fc.property(hex(32), hex(16), fc.boolean(), (traceId, spanId, isSampled) => {
      fc.pre(!/^0+$/.test(traceId) && !/^0+$/.test(spanId));
      assert.equal(traceContextOf({ traceparent: traceParent(traceId, spanId, isSampled) }), { traceId, spanId, isSampled, state: '' });
    }),
  );
});
contexts('what goes on may stand in a head, and is understood by the next one as by this one', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.string(), (traceparent, tracestate, baggage) => {
      const passedOn = passedOnHeaders({
        traceparent: fc.sample(fc.constantFrom(traceparent, `00-${TRACE}-${SPAN}-01`), 1)[0],
        tracestate,
        baggage,
      });
      for (const value of Object.values(passedOn)) assert.match(value, /^[\x20-\x7e\t]*$/);
      assert.equal(passedOnHeaders(passedOn), passedOn);
    }),
  );
});
contexts('a later version goes on as the one that is known', () => {
  assert.equal(passedOnHeaders({ traceparent: `cc-${TRACE}-${SPAN}-01-more`, tracestate: 'a=1' }), {
    traceparent: `00-${TRACE}-${SPAN}-01`,
    tracestate: 'a=1',
  });
});
contexts.run();
