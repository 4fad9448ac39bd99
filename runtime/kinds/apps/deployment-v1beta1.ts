import { deploymentDefaults } from '../extensions/template-defaults.ts';

export const rules = deploymentDefaults('25%');
