import { notSupported, required } from '../../contract/field-error.ts';
import type { KindRules } from '../../contract/kind.ts';

export const rules: KindRules = {
  validate({ target }) {
    const { kind, name } = target ?? {};
    return [
      ...(kind && kind !== 'Node' ? [notSupported('target.kind', kind, ['Node', '<empty>'])] : []),
      ...(name ? [] : [required('target.name')]),
    ];
  },
};
