/** Writes `identity.ts`, `releases.ts` and `feature-gates.ts`: the tables beside the group versions. */
import type { Model } from '../model/model.ts';
import { FEATURE_GATES_FILE, IDENTITY_FILE, RELEASES_FILE } from '../model/tables.ts';
import { header, literal, propertyName, quote, render } from './typescript.ts';

/** @param contract import path of the module that types the table */
export function emitIdentity(model: Model, contract = '../runtime/contract/identity.ts'): string {
  const rows = (table: object): string[] => Object.entries(table).map(([name, row]) => `${propertyName(name)}: ${literal(row)}`);
  return render('identity.ts.hbs', {
    header: header(IDENTITY_FILE),
    contract: quote(contract),
    names: rows(model.identity.names),
    behaviour: rows(model.identity.behaviour),
  });
}

export function emitReleases(model: Model): string {
  return render('releases.ts.hbs', {
    header: header(RELEASES_FILE),
    current: literal(model.release),
    oldest: literal(model.oldestRelease),
    releases: model.releases.map(literal),
  });
}

export function emitFeatureGates(model: Model): string {
  const gates = model.featureGates.map(({ name, stages }) => ({ name, stages: stages.map(literal) }));
  return render('feature-gates.ts.hbs', { header: header(FEATURE_GATES_FILE), gates });
}
