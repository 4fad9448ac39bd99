/**
 * The real history: every step from one release to the next, as the schemas of this tree tell it, under the policy. Every finding is excused
 * by an exception that Kubernetes made. And everything that went from the lists of protobuf fields (HISTORY_DIR, by default beside the checkout)
 * is found: as a violation that is excused, or as a change that is allowed.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { DiagnosticList } from '../../../codegen/check/diagnostic.ts';
import { buildModel } from '../../../codegen/model/build.ts';
import { compareReleases } from '../../../codegen/model/lifespan.ts';
import type { Model, StructModel } from '../../../codegen/model/model.ts';
import { checkPolicy } from '../../../codegen/policy/check-policy.ts';
import { generatedKinds } from '../../../codegen/policy/conversions/generated-kinds.ts';
import { proveConversions } from '../../../codegen/policy/conversions/prove-conversions.ts';
import { isServed, kindsOf } from '../../../codegen/policy/elements/kinds.ts';
import type { PolicyReport } from '../../../codegen/policy/finding.ts';
import { stabilityOf } from '../../../codegen/policy/stability.ts';
import { readSources } from '../../../codegen/read/read.ts';
import { linesOfText } from '../history/message-lines.ts';
import { messagesOf } from './states.ts';

const diagnostics = new DiagnosticList();
const sources = await readSources(path.join(import.meta.dirname, '../../..'), diagnostics.report);
const model = buildModel(sources, diagnostics.report);
const root = path.join(import.meta.dirname, '../../..');
const kinds = await generatedKinds(root, model);
if (kinds === undefined || 'stale' in kinds) throw new Error('generated/ is not what the schemas say');
const others = (report: PolicyReport): void => proveConversions(model, kinds, report);
const outcome = checkPolicy(undefined, { sources, model }, { knowsRelease: true, others });

const history = suite('the history of the API');
history('has no violation without a reason', () => {
  assert.equal(messagesOf(outcome), []);
  assert.equal(outcome.unused, []);
});
history('has violations that Kubernetes made, in fields, columns, conversions, times and gates', () => {
  const codes = new Set(outcome.excused.map(({ finding }) => finding.code));
  for (const code of ['CP109', 'CP110', 'CP201', 'CP401', 'CP403', 'CP405', 'CP1001'] as const) assert.ok(codes.has(code), code);
});

/** What became of a message or a field that is in one list and not in the next; undefined where nobody has found it. */
function explanation(line: string, release: string): string | undefined {
  const [folder = '', element = ''] = line.split(' ');
  const version = folder.split('/')[1] ?? '';
  if (stabilityOf(version) === 'alpha') return 'alpha';
  const [message = '', field] = element.split('.');
  if (excusedElements(release).some((name) => name === `${folder} ${message}` || sameField(name, folder, message, field))) return 'excused';
  if (outcome.allowed.some(({ element: name }) => sameField(name, folder, message, field))) return 'allowed';
  return unseen(folder, message, field, release);
}

const excusedElements = (release: string): string[] =>
  outcome.excused.filter(({ finding }) => finding.release === release).map(({ finding }) => finding.element);

/** Lists have names in lower case. */
function sameField(element: string, folder: string, message: string, field: string | undefined): boolean {
  return field !== undefined && element.toLowerCase() === `${folder} ${message}.${field}`.toLowerCase();
}

/** Nobody sees a type of another name and the same form, one that nothing served refers to, and another spelling of a name. */
function unseen(folder: string, message: string, field: string | undefined, release: string): string | undefined {
  const before = model.at(previous(release));
  const [old, now] = [structAt(before, folder, message), structAt(model.at(release), folder, message)];
  if (old === undefined || !isReached(before, old)) return 'nothing that is served has it';
  if (now === undefined) return 'its type has another name';
  const name = old.fields.find((each) => each.name.toLowerCase() === field)?.name;
  return now.fields.some((each) => each.name === name) ? 'its type has another name' : undefined;
}

function previous(release: string): string {
  const names = model.releases.map(({ name }) => name);
  return names[names.indexOf(release) - 1] as string;
}

function structAt({ groupVersions }: Model, folder: string, name: string): StructModel | undefined {
  const type = groupVersions.find((each) => each.folder === folder)?.types.find((each) => each.name === name);
  return type?.kind === 'struct' ? type : undefined;
}

function isReached(at: Model, struct: StructModel): boolean {
  const served = kindsOf(at).filter(({ kind }) => isServed(kind, at.release) || kind.conversion !== undefined);
  const reached = new Set<string>();
  const visit = (definition: string): void => {
    const type = at.types.get(definition);
    if (reached.has(definition) || type?.kind !== 'struct') return;
    reached.add(definition);
    for (const { type: use } of type.fields)
      for (const each of JSON.stringify(use).matchAll(/"definition":"([^"]+)"/g)) visit(each[1] as string);
  };
  for (const { kind } of served) visit(kind.definition);
  return reached.has(struct.definition);
}

const folder = process.env.HISTORY_DIR ?? path.join(import.meta.dirname, '../../../../shared/history');
if (!existsSync(folder)) console.log(`SKIPPED: no lists of fields at ${folder}`);
else {
  const releases = readdirSync(folder)
    .flatMap((name) => /^(\d+\.\d+)\.txt$/.exec(name)?.[1] ?? [])
    .sort(compareReleases);
  const linesOf = (release: string) => linesOfText(readFileSync(path.join(folder, `${release}.txt`), 'utf8'));
  for (const [index, release] of releases.entries()) {
    const before = releases[index - 1];
    if (before === undefined) continue;
    history(`${before} to ${release}: everything that went is found`, () => {
      const now = linesOf(release);
      const gone = [...linesOf(before)].filter((line) => !now.has(line));
      assert.equal(
        gone.filter((line) => explanation(line, release) === undefined),
        [],
      );
    });
  }
  history('has several steps', () => assert.ok(releases.length > 1));
}
history.run();
