/** `flags.ts`: the flags of the server as data, so that a start reads no YAML. */
import { FLAGS_FILE, readFlags } from '../read/flags-file.ts';
import { formProblem } from '../read/table-file.ts';
import { header, literal, propertyName, quote, render } from './typescript.ts';

/**
 * @param yaml text of `schemas/flags.yaml`
 * @returns source of a module that exports `flagsData`, in the order of the file
 * @throws Error that lists all that is wrong with the file
 */
export function emitFlags(yaml: string): string {
  const file = readFlags(yaml);
  if ('problems' in file) throw formProblem(FLAGS_FILE, file);
  return render('flags.ts.hbs', {
    header: header(FLAGS_FILE),
    groups: Object.entries(file.groups).map(([name, title]) => `${propertyName(name)}: ${quote(title)}`),
    flags: file.flags.map((row) => literal({ ...row, help: row.help.trim().replace(/\s+/g, ' ') })),
  });
}
