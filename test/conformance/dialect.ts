/** Conversations are recorded in the names of one dialect; this is how the other one says the same. */
import { identity } from '../../generated/identity.ts';
import type { Dialect } from '../../runtime/contract/identity.ts';
import type { RecordedAnswer } from './cases.ts';

const RECORDED = 'kubernetes';
const { behaviour, names } = identity;

/** Rows of the identity table whose names stand inside of longer ones; how much of the text around them belongs to the name. */
const PARTS: readonly [row: string, around: (name: string) => string][] = [
  ['mediaProduct', (name) => `vnd.${name}.`],
  ['labelDomain', (name) => name],
  ['groupDomain', (name) => name],
];
/** Rows whose names are words of their own. */
const WORDS = ['systemNamespace', 'publicNamespace', 'leaseNamespace', 'rootCertificateConfigMap'];

export function inDialect(text: string, dialect: Dialect): string {
  if (dialect === RECORDED) return text;
  let said = text;
  for (const [row, around] of PARTS) said = said.replaceAll(around(name(row, RECORDED)), around(name(row, dialect)));
  for (const row of WORDS) said = said.replace(new RegExp(`\\b${RegExp.escape(name(row, RECORDED))}\\b`, 'g'), name(row, dialect));
  const passed = behaviour.healthPassedName?.[dialect];
  return passed === null ? said : said.replace(/(?:livez|readyz) check passed/g, `${passed} check passed`);
}

/** What the reference would have answered in the dialect. */
export function answerInDialect(recorded: RecordedAnswer, dialect: Dialect): RecordedAnswer {
  const answer = JSON.parse(inDialect(JSON.stringify(recorded), dialect));
  const created = { recorded: behaviour.createStatus?.[RECORDED], said: behaviour.createStatus?.[dialect] };
  if (answer.status !== created.recorded) return answer;
  answer.status = created.said;
  if (answer.body?.code === created.recorded) answer.body.code = created.said;
  return answer;
}

function name(row: string, dialect: Dialect): string {
  const found = names[row]?.[dialect];
  if (found === undefined) throw new Error(`the identity table has no row ${row}`);
  return found;
}
