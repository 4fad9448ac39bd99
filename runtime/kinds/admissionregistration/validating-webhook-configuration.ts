export { webhookConfigurationRules as rules } from './webhooks.ts';
