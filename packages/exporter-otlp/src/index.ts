export type { OtlpExporterOptions } from './otlp-exporter.ts'
export { otlpExporter } from './otlp-exporter.ts'
