export type { ConsoleExporterOptions } from './console-exporter.ts'
export { consoleExporter } from './console-exporter.ts'
