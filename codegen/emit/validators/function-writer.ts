/** Writes the steps of constraints as the statements of a function. Paths stand in literals, so a value that is right costs no path. */
import type {
  CheckStep,
  EntriesStep,
  FirstStep,
  FormStep,
  ItemsStep,
  MemberStep,
  RuleStep,
  Step,
  Steps,
  Test,
  TypeStep,
  UnionFinding,
  UnionStep,
  WhenStep,
  WithinStep,
} from '../../../runtime/contract/constraint.ts';
import { isJoinedFormat } from '../../../runtime/validation/formats.ts';
import { reportedName } from '../../../runtime/validation/messages.ts';
import { literal } from '../typescript.ts';
import { failExpression, findingExpression, joined, setExpression } from './checks.ts';
import { conditionExpression, memberExpression } from './conditions.ts';
import type { ModuleWriter } from './module-writer.ts';
import { presentExpression, type Subject } from './subject.ts';
import { type UniqueList, uniqueKeys } from './unique-keys.ts';

export class FunctionWriter {
  readonly #module: ModuleWriter;
  readonly #lines: string[] = [];
  readonly #lists = new Map<number, UniqueList>();
  #count = 0;
  #depth = 1;

  constructor(module: ModuleWriter) {
    this.#module = module;
  }

  /** @returns the statements, indented */
  write(steps: Steps): string {
    const subject: Subject = {
      value: 'value',
      old: 'old',
      holder: 'value',
      path: '',
      holderPath: '',
      shape: { kind: 'struct', pointer: false },
      label: 'whole',
    };
    this.#block(steps, subject);
    return this.#lines.join('\n');
  }

  #line(text: string): void {
    this.#lines.push(`${'  '.repeat(this.#depth)}${text}`);
  }

  #within(open: string, body: () => void): void {
    this.#line(open);
    this.#depth++;
    body();
    this.#depth--;
    this.#line('}');
  }

  #name(prefix: string): string {
    this.#count++;
    return `${prefix}${this.#count}`;
  }

  /** Writes the steps of one value as a block, which a step that ends the others leaves. */
  #block(steps: Steps, subject: Subject, byHolder = false): void {
    if (byHolder || !steps.some(stops)) return this.#steps(steps, subject);
    const label = this.#name('stop');
    this.#within(`${label}: {`, () => this.#steps(steps, { ...subject, label }));
  }

  #steps(steps: Steps, subject: Subject): void {
    for (const step of steps) this.#step(step, subject);
  }

  #step(step: Step, subject: Subject): void {
    switch (step.do) {
      case 'check':
        return this.#check(step, subject);
      case 'rule':
        return this.#rule(step, subject);
      case 'type':
        return this.#type(step, subject);
      case 'member':
        return this.#member(step, subject);
      case 'items':
        return this.#items(step, subject);
      case 'entries':
        return this.#entries(step, subject);
      case 'within':
        return this.#inside(step, subject);
      case 'when':
        return this.#when(step, subject);
      case 'first':
        return this.#first(step, subject);
      case 'union':
        return this.#union(step, subject);
      case 'form':
        return this.#form(step, subject);
    }
  }

  #check(step: CheckStep, subject: Subject): void {
    const { test } = step;
    if (test.name === 'unique') return this.#unique(step, test, subject);
    const value = step.absent === undefined ? subject.value : `(${subject.value} ?? ${literal(step.absent.value)})`;
    const at = { ...subject, value };
    if (test.name === 'format') return this.#format(step, test.formats, at);
    const guards = [
      ...(step.ratchet ? [`!(${subject.old} !== undefined && ${this.#module.use('isSame')}(${subject.value}, ${subject.old}))`] : []),
      failExpression(this.#module, test, at, step.absent !== undefined),
    ];
    this.#finding(guards.join(' && '), findingExpression(this.#module, step, at), step.stop, subject);
  }

  #finding(fails: string, finding: string, stop: boolean, { label }: Subject): void {
    if (!stop) return this.#line(`if (${fails}) out.push(${finding});`);
    this.#within(`if (${fails}) {`, () => {
      this.#line(`out.push(${finding});`);
      this.#line(`break ${label};`);
    });
  }

  #format(step: CheckStep, formats: readonly string[], subject: Subject): void {
    const present = step.absent === undefined ? presentExpression(subject) : 'true';
    const ratchet = step.ratchet
      ? ` && !(${subject.old} !== undefined && ${this.#module.use('isSame')}(${subject.value}, ${subject.old}))`
      : '';
    this.#within(`if (${present}${ratchet}) {`, () => {
      for (const format of formats) {
        const messages = this.#name('messages');
        this.#line(`const ${messages} = ${this.#module.format(format)}(${subject.value});`);
        const one = this.#partFinding(step, subject, 'message', isJoinedFormat(format));
        const each = `for (const message of ${messages}) out.push(${one});`;
        if (step.join !== undefined) {
          const joined = findingExpression(this.#module, step, subject, `${messages}.join(${literal(step.join)})`);
          this.#line(`if (${messages}.length > 0) out.push(${joined});`);
        } else if (step.detail === undefined) this.#line(`if (${messages}.length > 0) ${each}`);
        else this.#line(`if (${messages}.length > 0) out.push(${findingExpression(this.#module, step, subject)});`);
        if (step.stop) this.#line(`if (${messages}.length > 0) break ${subject.label};`);
      }
    });
  }

  /** A finding of a format of several parts shows the part that is wrong. */
  #partFinding(step: CheckStep, subject: Subject, found: string, isJoined: boolean): string {
    if (!isJoined) return findingExpression(this.#module, step, subject, found);
    return findingExpression(this.#module, step, { ...subject, value: `${found}.part` }, `${found}.message`);
  }

  #unique(step: CheckStep, test: Extract<Test, { name: 'unique' }>, subject: Subject): void {
    const list = this.#lists.get(test.set);
    if (list === undefined) throw new Error('unique stands outside of items');
    const { seen } = list;
    const key = this.#name('key');
    const keys = this.#module.texts(test.keys);
    const guard = list.keys === undefined ? '' : `${list.index} > 0 || `;
    this.#within(`if (${guard}${seen} !== undefined) {`, () => {
      this.#line(`const ${key} = ${this.#module.use('keyOf')}(${subject.value}, ${keys});`);
      const counts = test.countsUnset ? '' : `${key} !== '' && `;
      const [only, ...others] = test.keys;
      const path = only === undefined || others.length > 0 ? subject.path : `${subject.path}.${only}`;
      const shown = step.shown === undefined ? `${this.#module.use('shownKey')}(${subject.value}, ${keys})` : undefined;
      const finding = findingExpression(this.#module, step, { ...subject, path, ...(shown && { value: shown }) });
      this.#finding(`${counts}${this.#isRepeated(list, key)}`, finding, step.stop, subject);
      this.#line(`${seen}${list.keys === undefined ? '' : '?'}.add(${key});`);
    });
  }

  /** Generated code compares an element of a short list with those before it, so that it allocates nothing. */
  #isRepeated({ seen, name, index, keys }: UniqueList, key: string): string {
    if (keys === undefined) return `${seen}.has(${key})`;
    const before = `${this.#module.use('isAmong')}(${name}, ${index}, ${key}, ${this.#module.texts(keys)})`;
    return `(${seen} === undefined ? ${before} : ${seen}.has(${key}))`;
  }

  #rule(step: RuleStep, subject: Subject): void {
    const found = this.#name('found');
    const call = this.#module.ruleCall(step, subject);
    const guard = subject.value === 'value' ? '{' : `if (${subject.value} != null) {`;
    this.#within(guard, () => {
      this.#line(`const ${found} = ${call};`);
      this.#line(`if (${found}.length > 0) ${this.#module.use('report')}(out, ${found}, \`${subject.path}\`);`);
      if (step.stop) this.#line(`if (${found}.length > 0) break ${subject.label};`);
    });
  }

  #type(step: TypeStep, subject: Subject): void {
    const { value, old, path } = subject;
    const call = this.#module.typeCall(step, subject);
    if (path === '') return this.#line(call);
    // The steps of a struct may lead to the same value again, as one of its inline structs.
    const skips = !step.changes && this.#module.isClosed(step.definition) && old !== 'undefined' && value !== subject.holder;
    const unchanged = skips ? ` && ${value} !== ${old}` : '';
    const from = this.#name('from');
    this.#within(`if (${value} != null${unchanged}) {`, () => {
      this.#line(`const ${from} = out.length;`);
      this.#line(call);
      this.#line(`if (out.length > ${from}) ${this.#module.use('below')}(out, ${from}, \`${path}\`);`);
    });
  }

  #member(step: MemberStep, subject: Subject): void {
    const value = this.#name('v');
    const old = usesOld(step.steps, this.#module) && subject.old !== 'undefined' ? this.#name('o') : 'undefined';
    const zero = step.shape.kind === 'number' && !step.shape.pointer ? ' ?? 0' : '';
    this.#within('{', () => {
      this.#line(`const ${value} = ${memberExpression(subject.value, step.path)}${zero};`);
      if (old !== 'undefined') this.#line(`const ${old} = ${memberExpression(subject.old, step.path, true)};`);
      const path = `${subject.path}.${escaped(step.report ?? step.path.join('.'))}`;
      this.#block(
        step.steps,
        {
          value,
          old,
          holder: subject.value,
          path,
          holderPath: subject.path,
          shape: step.shape,
          label: subject.label,
        },
        step.byHolder,
      );
    });
  }

  #items(step: ItemsStep, subject: Subject): void {
    const [list, index, item] = [subject.value, this.#name('i'), this.#name('v')];
    for (const { set, keys } of uniqueKeys(step.steps, [])) {
      const seen = this.#name('seen');
      this.#lists.set(set, { seen, name: list, index, keys });
      const short = keys === undefined ? '1' : this.#module.use('SHORT_LIST');
      this.#line(`const ${seen} = (${list}?.length ?? 0) > ${short} ? new Set() : undefined;`);
    }
    this.#within(
      `for (let ${index} = 0; ${index} < (${list}?.length ?? 0) && out.length <= ${this.#module.use('MOST_FINDINGS')}; ${index}++) {`,
      () => {
        this.#line(`const ${item} = ${list}[${index}];`);
        const old = this.#counterpart(step, subject, item, index);
        const path = step.report === undefined ? `${subject.path}[\${${index}}]` : joined(subject.holderPath, step.report);
        const holderPath = step.report === undefined ? subject.path : path;
        this.#block(step.steps, { value: item, old, holder: subject.holder, path, holderPath, shape: step.shape, label: '' });
      },
    );
  }

  /** Elements that keys tell apart have a counterpart in the stored list; others may still be the same object in the same place. */
  #counterpart(step: ItemsStep, subject: Subject, item: string, index: string): string {
    if (subject.old === 'undefined' || !usesOld(step.steps, this.#module)) return 'undefined';
    const old = this.#name('o');
    const { value } = subject;
    if (step.mapKeys.length > 0)
      this.#line(
        `const ${old} = ${this.#module.use('counterpart')}(${item}, ${index}, ${subject.old}, ${this.#module.texts(step.mapKeys)});`,
      );
    else this.#line(`const ${old} = ${subject.old}?.[${index}] === ${value}[${index}] ? ${item} : undefined;`);
    return old;
  }

  #entries(step: EntriesStep, subject: Subject): void {
    const [map, key, value] = [subject.value, this.#name('k'), this.#name('v')];
    this.#within(`for (const ${key} in ${map}) {`, () => {
      this.#line(`if (out.length > ${this.#module.use('MOST_FINDINGS')}) break;`);
      const shown = step.keyLength === undefined ? key : `${this.#module.use('shortened')}(${key}, ${step.keyLength})`;
      const path = `${subject.path}[\${${shown}}]`;
      const entry = { holder: subject.holder, path, holderPath: subject.path, label: '', old: 'undefined' };
      this.#block(step.keys, { ...entry, value: key, shape: { kind: 'text', pointer: true } });
      if (step.values.length === 0) return;
      this.#line(`const ${value} = ${map}[${key}];`);
      this.#block(step.values, { ...entry, value, shape: step.shape });
    });
  }

  #inside({ steps }: WithinStep, subject: Subject): void {
    const { value, path } = subject;
    this.#within(`if (${value} != null) {`, () => this.#steps(steps, { ...subject, holder: value, holderPath: path }));
  }

  #when(step: WhenStep, subject: Subject): void {
    const tests = [
      ...(step.creating ? ['old === undefined'] : []),
      ...(step.gate === undefined ? [] : [gateExpression(step.gate)]),
      ...(step.when === undefined ? [] : [this.#module.condition(conditionExpression(step.when, subject.holder))]),
    ];
    if (tests.length === 0) return this.#within('{', () => this.#steps(step.steps, subject));
    const all = tests.length === 1 ? (tests[0] as string) : tests.map((test) => `(${test})`).join(' && ');
    if (step.steps.length === 0) return this.#within(`if (!(${all})) {`, () => this.#steps(step.otherwise, subject));
    this.#line(`if (${all}) {`);
    this.#depth++;
    this.#steps(step.steps, subject);
    this.#depth--;
    if (step.otherwise.length > 0) {
      this.#line('} else {');
      this.#depth++;
      this.#steps(step.otherwise, subject);
      this.#depth--;
    }
    this.#line('}');
  }

  #first(step: FirstStep, subject: Subject): void {
    const [label, from] = [this.#name('first'), this.#name('from')];
    this.#within(`${label}: {`, () => {
      this.#line(`const ${from} = out.length;`);
      step.steps.forEach((each, index) => {
        this.#step(each, { ...subject, label: stops(each) ? label : subject.label });
        if (index < step.steps.length - 1) this.#line(`if (out.length > ${from}) break ${label};`);
      });
    });
  }

  #union(step: UnionStep, subject: Subject): void {
    const count = this.#name('count');
    const { none, several } = step;
    this.#within('{', () => {
      this.#line(`let ${count} = 0;`);
      for (const member of step.members) {
        const value = memberExpression(subject.value, member.path);
        this.#within(`if (${setExpression(value, member.shape)}) {`, () => {
          this.#line(`${count}++;`);
          const path = `${subject.path}.${escaped(reportedName(several?.reported, member.path))}`;
          const isFree = several?.at !== 'member' || several.beside?.includes(member.path.join('.')) === true;
          if (isFree) return member.steps.length === 0 ? undefined : this.#member(member, subject);
          const tooMany = this.#unionFinding(several, { ...subject, value, path });
          if (member.steps.length === 0) return this.#line(`if (${count} > 1) out.push(${tooMany});`);
          this.#within(`if (${count} > 1) {`, () => this.#line(`out.push(${tooMany});`));
          this.#within('else {', () => this.#member(member, subject));
          return undefined;
        });
      }
      if (none !== undefined) this.#line(`if (${count} === 0) out.push(${this.#unionFinding(none, subject)});`);
      if (several?.at === 'struct') this.#line(`if (${count} > 1) out.push(${this.#unionFinding(several, subject)});`);
    });
  }

  #unionFinding(finding: UnionFinding, subject: Subject): string {
    const step: CheckStep = { do: 'check', test: { name: 'required' }, ofHolder: false, stop: false, ratchet: false, ...finding };
    return findingExpression(this.#module, step, subject);
  }

  #form(step: FormStep, subject: Subject): void {
    const text: Subject = { ...subject, shape: { kind: 'text', pointer: true } };
    const number: Subject = { ...subject, shape: { kind: 'number', pointer: true } };
    if (step.text.length > 0) this.#within(`if (typeof ${subject.value} === 'string') {`, () => this.#block(step.text, text));
    if (step.number.length > 0) this.#within(`if (typeof ${subject.value} === 'number') {`, () => this.#block(step.number, number));
  }
}

/** Whether a finding of the step, or of one in it that belongs to the same value, ends the steps of the value. */
function stops(step: Step): boolean {
  if (step.do === 'check' || step.do === 'rule') return step.stop;
  if (step.do === 'when') return [...step.steps, ...step.otherwise].some(stops);
  if (step.do === 'within') return step.steps.some(stops);
  return step.do === 'member' && step.byHolder === true && step.steps.some(stops);
}

const UPDATE_TESTS = new Set(['immutable', 'noSet', 'noUnset', 'noModify', 'noDecrease']);

function usesOld(steps: Steps, module: ModuleWriter): boolean {
  return steps.some((step): boolean => {
    switch (step.do) {
      case 'check':
        return step.ratchet || UPDATE_TESTS.has(step.test.name) || (step.test.name === 'holds' && step.test.comparing);
      case 'rule':
      case 'type':
        return true;
      case 'when':
        return usesOld([...step.steps, ...step.otherwise], module);
      case 'entries':
        return false;
      case 'union':
        return usesOld(step.members, module);
      case 'form':
        return usesOld([...step.text, ...step.number], module);
      default:
        return usesOld(step.steps, module);
    }
  });
}

function gateExpression(gate: string): string {
  return gate.startsWith('!') ? `!context.featureEnabled(${literal(gate.slice(1))})` : `context.featureEnabled(${literal(gate)})`;
}

/** Text inside of a template literal. */
const escaped = (text: string): string => text.replaceAll('\\', '\\\\').replaceAll('`', '\\`').replaceAll('${', '\\${');
