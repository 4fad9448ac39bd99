/** Writes `tables.ts` and `conversions.ts`, which have what the schemas declare, unchanged. */
import type { GroupVersion, StructModel } from '../model/model.ts';
import { byName, header, literal, relativeImport, render } from './typescript.ts';

/** @returns undefined if no kind has a table */
export function emitTables(groupVersion: GroupVersion): string | undefined {
  const tables = kindsWith(groupVersion, 'table').map(({ name, table }) => ({
    name,
    columns: table?.columns.map(literal),
  }));
  return tables.length === 0 ? undefined : render('tables.ts.hbs', { ...frame(groupVersion, 'runtime/contract/table.ts'), tables });
}

/** @returns undefined if every kind is its own hub */
export function emitConversions(groupVersion: GroupVersion): string | undefined {
  const conversions = kindsWith(groupVersion, 'conversion').map(({ name, conversion }) => ({
    name,
    hub: ['group', 'version', 'kind'].map((key) => `${key}: ${literal(conversion?.[key as 'group'])}`),
    steps: conversion?.steps.map(literal),
    function: conversion?.function === undefined ? '' : literal(conversion.function),
  }));
  return conversions.length === 0
    ? undefined
    : render('conversions.ts.hbs', { ...frame(groupVersion, 'runtime/contract/kind.ts'), conversions });
}

function kindsWith(groupVersion: GroupVersion, member: 'table' | 'conversion'): StructModel[] {
  return groupVersion.types
    .filter((type): type is StructModel => type.kind === 'struct' && type.topLevel && type[member] !== undefined)
    .sort(byName);
}

function frame({ folder }: GroupVersion, contract: string): object {
  return {
    header: header(`schemas/${folder}/openapi.yaml`),
    contract: relativeImport(`generated/${folder}`, contract),
  };
}
