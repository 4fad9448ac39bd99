/** Writes `routes.ts` and `files.ts`: what a program has to know of a group version before one of its kinds is used. */
import type { GroupVersion, Model, StructModel } from '../model/model.ts';
import { byName, header, literal, render } from './typescript.ts';

export function emitRoutes(model: Model): string {
  return render('routes.ts.hbs', {
    header: header('schemas/*/*/openapi.yaml'),
    groupVersions: model.groupVersions.filter(({ files }) => !files).map(view),
  });
}

/** Writes `files.ts`: the group versions whose kinds are those of files. */
export function emitFiles(model: Model): string {
  return render('files.ts.hbs', {
    header: header('schemas/*/*/openapi.yaml'),
    groupVersions: model.groupVersions.filter(({ files }) => files).map(fileView),
  });
}

function fileView({ group, version, versionPriority, folder, types }: GroupVersion): object {
  const kinds = types.filter((type): type is StructModel => type.kind === 'struct' && type.topLevel).sort(byName);
  return {
    data: Object.entries({ group, version, versionPriority }).map(([name, value]) => `${name}: ${literal(value)}`),
    kinds: kinds.map(({ name, file, conversion }) =>
      literal({ name, hubGroup: conversion?.group === group ? undefined : conversion?.group, ...file }),
    ),
    folder,
  };
}

function view({
  folder,
  source: _source,
  types: _types,
  package: _package,
  files: _files,
  structural,
  resources,
  ...data
}: GroupVersion): object {
  const { group, version, ...rest } = { ...data, ...(structural !== undefined && { structural: true }) };
  return {
    data: Object.entries({ group, version, folder, ...rest }).map(([name, value]) => `${name}: ${literal(value)}`),
    resources: resources.map(literal),
    folder,
  };
}
