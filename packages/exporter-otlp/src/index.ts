export type { OtlpMetricsOptions } from './metrics.ts'
export type { OtlpExporterOptions } from './otlp-exporter.ts'
export { otlpExporter } from './otlp-exporter.ts'
